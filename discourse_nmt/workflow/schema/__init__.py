"""``config.schema.yaml`` and the pages of ``docs/reference/settings/``, generated from the dataclasses of settings."""
