"""The keys of ``report:`` in the configuration."""

from dataclasses import dataclass

from discourse_nmt.base.settings import DISTINCT, setting


@dataclass(frozen=True)
class ReportSettings:
    """The document viewer of the report."""

    documents: int = setting(200, "documents of each test set, spread evenly over it", minimum=0)
    analyses: list[str] = setting(
        [],
        "analyses whose tables of the source side are shown; they are made for the test sets where absent",
        schema=DISTINCT,
    )
