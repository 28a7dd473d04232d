"""Sections under ``paper_tables``."""

from dataclasses import dataclass

from discourse_nmt.base.settings import DISTINCT, required, setting


@dataclass(frozen=True)
class PaperColumnSettings:
    """The measured score beside a column of a paper's table."""

    corpus: str | None = setting(
        None, "corpus; null for the one that a row names, or for the only corpus of the configuration"
    )
    test_set: str = setting("test", "split or suite")
    metric: str = setting(
        "s-BLEU",
        "metric as in scores.tsv; or added parameters (millions more than the first row's model) or speed (thousand "
        "target tokens of training a second)",
    )
    mean_of: list[str] = setting([], "columns whose mean this one is, instead", schema=DISTINCT)


@dataclass(frozen=True)
class PaperTableSettings:
    """A table of a paper: published numbers, and the experiments that stand beside them."""

    published: str = required("file and table in resources/published, for example rst_transformer.table_2")
    columns: dict[str, PaperColumnSettings] = required("measured scores, by the paper's name of the column")
    rows: dict[str, str | list[str | None]] = required(
        "experiment, or one for each of the columns above, by the paper's name of the row; CORPUS/EXPERIMENT names a "
        "corpus, too; null: not measured"
    )
    own_rows: dict[str, str] = setting({}, "further experiments, which the paper does not have, by their names")
