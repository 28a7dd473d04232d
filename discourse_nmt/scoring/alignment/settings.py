"""The keys of ``document_metrics:`` in the configuration, among them the pairs that alignment is learnt from."""

from dataclasses import dataclass

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
