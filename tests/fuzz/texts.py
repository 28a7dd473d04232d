"""Documents made of random cuts and joins of real texts, and the whole analysis of them.

A seed gives the same documents everywhere where the texts are the same.
"""

import gzip
import random
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from discourse_nmt.discourse.backends.backend import DocumentInput
from discourse_nmt.discourse.backends.checks import CHECKS, check_rows
from discourse_nmt.discourse.export import files, tables
from discourse_nmt.discourse.failures import results_or_errors, told
from discourse_nmt.discourse.formats.conllu import read_conllu
from discourse_nmt.discourse.formats.coreference import read_conll_coreference
from discourse_nmt.discourse.formats.rs3 import read_rs3
from discourse_nmt.discourse.pipeline import Pipeline, TextAnalysis
from discourse_nmt.discourse.plain_text import check_text
from tests.conftest import ROOT
from tests.fuzz.inputs import PAYLOADS

SHIPPED = {
    "en": ["README.md", "resources/documents/*.txt", "resources/*/README.md", "docs/how-to/*.md"],
    "de": ["resources/help_models/*german.txt", "resources/demo/*.tsv"],
    "zh": ["tests/unit/discourse/chinese_theme_examples.txt"],
}
DEVELOPMENT = {
    "en": ["wmt22_general/source.en.gz", "maruf_ende/*/*_en.txt", "bi_msmt/*/English-French/*English*"],
    "de": ["wmt22_general/ref.A.de.gz", "maruf_ende/*/*_de.txt", "gnome_help/gnome-help.de.po.gz"],
    "zh": ["wmt22_general/ref.A.zh.gz", "tvsub_zhen/dev/*.zh", "wiki_docsub_zhen/dev.zh-en.gz"],
}
SEPARATORS = ("", " ", " ", " ", "\n", "\n", "\n\n", ". ", ", ", " - ", "。", "(", '"', "\t", "\n- ", "\n1. ", "\u00a0")
NOISE = [text for one in PAYLOADS if "\0" not in (text := one.decode("utf-8", "ignore")) and len(text) < 40]
TOGETHER = 100
"""Documents that are analysed in common batches."""


@cache
def real_texts(language: str, parallel: Path | None = None) -> tuple[str, ...]:
    """The texts of a language: shipped ones, and those of the folder ``parallel`` of the development data."""
    places = [(ROOT, SHIPPED[language])] + ([(parallel, DEVELOPMENT[language])] if parallel else [])
    paths = [path for folder, patterns in places for pattern in patterns for path in sorted(folder.glob(pattern))]
    return tuple(
        gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text("utf-8")
        for path in paths
    )


def documents(texts: Sequence[str], seed: str, count: int) -> Iterator[str]:
    """``count`` documents of one to eight pieces each."""
    dice = random.Random(seed)
    for _ in range(count):
        pieces = [_piece(dice, texts) for _ in range(dice.randint(1, 8))]
        yield check_text("".join(piece + dice.choice(SEPARATORS) for piece in pieces), "fuzzed")


def _piece(dice: random.Random, texts: Sequence[str]) -> str:
    """A cut at any character or between lines, in places with noise, other case or without its marks."""
    if dice.random() < 0.05:
        return dice.choice(NOISE)
    text = dice.choice(texts)
    start = dice.randrange(len(text))
    if dice.random() < 0.5:
        start = text.rfind("\n", 0, start) + 1
    piece = text[start : start + int(dice.paretovariate(1) * 20) % 400]
    change = dice.random()
    if change < 0.05:
        return piece.upper() if change < 0.03 else piece.lower()
    return piece.replace(dice.choice(".,?!。，\n ,"), "") if change < 0.2 else piece


def faults(pipeline: Pipeline, texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The texts whose analysis fails, does not hold what tables promise or cannot be read back, and why."""
    for first in range(0, len(texts), TOGETHER):
        part = texts[first : first + TOGETHER]
        for text, analysis in zip(part, results_or_errors(pipeline.analyse, part)):
            try:
                if isinstance(analysis, Exception):
                    raise analysis
                _check(analysis)
            except Exception as error:
                yield text, told(error)


def _check(analysis: TextAnalysis) -> None:
    rows = tables("d", analysis)
    document = DocumentInput("d", analysis.sentences, rows)
    for stage in CHECKS:
        if stage in rows:
            check_rows(stage, document, rows[stage])
    contents = files("d", analysis)
    assert len(read_conllu(contents["conllu"], "d")) == len(analysis.sentences)
    read_conll_coreference(contents["coreference.conll"], "d")
    if "rs3" in contents:
        read_rs3(contents["rs3"].encode(), "d")
