"""The keys of ``demo:`` in the configuration."""

from dataclasses import dataclass

from discourse_nmt.base.settings import setting


@dataclass(frozen=True)
class DemoSettings:
    """The generated demo corpus."""

    documents: int = setting(2000, "documents over all splits, an even number", minimum=40, schema={"multipleOf": 2})
    seed: int = setting(1, "seed of the generator")
