"""``config.schema.yaml`` and ``docs/reference/settings.md``, generated from the dataclasses of settings."""
