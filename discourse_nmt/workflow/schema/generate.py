"""Writes what is generated from the dataclasses of settings: schema, pages of settings, comments of ``config.yaml``."""

import yaml

from discourse_nmt import ROOT
from discourse_nmt.workflow.schema.comments import commented
from discourse_nmt.workflow.schema.configuration_schema import configuration_schema
from discourse_nmt.workflow.schema.tables import settings_pages


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: object) -> bool:
        """Write equal values out each time."""
        return True


def schema_text() -> str:
    """The content of ``config.schema.yaml``."""
    return yaml.dump(
        configuration_schema(), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120, default_flow_style=None
    )


def generated() -> dict[str, str]:
    """The content of every generated file, by its path in the checkout."""
    return {
        "config.schema.yaml": schema_text(),
        "config.yaml": commented((ROOT / "config.yaml").read_text(encoding="utf-8")),
        **settings_pages(),
    }


def main() -> None:
    """Write all of them."""
    for path, content in generated().items():
        (ROOT / path).parent.mkdir(exist_ok=True)
        (ROOT / path).write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
