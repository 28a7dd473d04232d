"""The keys of ``document_metrics:`` in the configuration, among them the pairs that alignment is learnt from."""

from dataclasses import dataclass
from typing import Literal

from discourse_nmt.base.settings import setting


@dataclass(frozen=True)
class DocumentMetricsSettings:
    """Scores of translations as documents."""

    compute: bool = setting(True, "whether they are computed")
    analysis: str | None = setting(
        None,
        "analysis whose syntax and coreference of the source side they use, made for the test sets where absent; "
        "null for none",
    )
    alignment_pairs: int = setting(
        100_000, "number of sentence pairs of train, the first ones, from which word alignment is learnt", minimum=1
    )
    cxmi: list[
        Literal[
            "without_context", "without_source_context", "without_target_context", "without_trees", "shuffled_trees"
        ]
    ] = setting(
        [],
        "controls beside which each system scores the references again, for the information that it takes from context "
        "and trees (CXMI): without the rest of the document, without its source, without its target, without trees, "
        "with the trees of other units",
        schema={"uniqueItems": True},
    )

    @property
    def controls(self) -> list[str]:
        """The controls of CXMI that are computed."""
        return list(self.cxmi) if self.compute else []
