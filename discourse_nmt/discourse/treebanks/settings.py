"""The keys of a treebank under ``parsers:`` in the configuration."""

from dataclasses import dataclass
from typing import Literal

from discourse_nmt.base.settings import DISTINCT, FILES, required, setting

Step = Literal["brackets", "chinese_labels", "contractions", "hyphens", "inner_spaces", "simplified", "spaces"]
Part = Literal["all", "held", "kept"]


@dataclass(frozen=True)
class TreebankSettings:
    """A treebank from which the builtin analysers are trained, or on which they are scored."""

    conllu: list[str] = required(
        "files in CoNLL-U; one without # newdoc id is divided into documents of 20 sentences", schema=FILES
    )
    kept: list[str] = setting([], "more such files, without the documents that part: held would take")
    rst: list[str] = setting([], "files of RST trees (rs3 or rs4), named like the documents")
    coreference: list[str] = setting([], "files of coreference (.conll), named like the documents")
    steps: list[Step] = setting(
        [], "changes that are made to it; docs/how-to/train-analysers.md explains", schema=DISTINCT
    )
    sentences: int = setting(
        0, "only documents with at least so many sentences together, to see what fewer teach; 0 for all", minimum=0
    )
    folds: int = setting(5, "number of folds for part", minimum=2)
    part: Part = setting("all", "documents that are used: all, those of fold 0 (held), or the others (kept)")
    where: str = setting("", "source of the files, shown when one is missing")
