"""Pages from templates; every text is escaped unless it is marked as safe."""

from collections.abc import Mapping

from jinja2 import DictLoader, Environment, StrictUndefined


def render(templates: Mapping[str, str], name: str, **values: object) -> str:
    """The page of the template ``name``; ``templates`` holds the texts of all templates that it includes, by name."""
    environment = Environment(
        loader=DictLoader(dict(templates)),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(name).render(**values)
