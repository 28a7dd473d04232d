"""The splits of the demo corpus and their tables."""

from collections.abc import Mapping

import pandas as pd

from discourse_nmt.base.errors import InputError
from discourse_nmt.demo.annotation import GOLD, contrastive
from discourse_nmt.demo.blocks import SHAPES, TRAINING_SHAPES
from discourse_nmt.demo.decks import Dealer
from discourse_nmt.demo.documents import DemoDocument, document, plan
from discourse_nmt.demo.lexicon import load

SHARES = {"test": 0.10, "dev": 0.05}  # of all documents; the rest is train
FEWEST_DOCUMENTS = 40

Split = Mapping[str, DemoDocument]  # documents by id, in text order; train-0001a and train-0001b are mirror images
PAIRS = "[a-z]+-[0-9]+"  # the beginning of an id that names the pair, for the key groups of a corpus


def sizes(documents: int) -> dict[str, int]:
    """Number of documents in each split, always even; raises :class:`InputError` for too few or an odd number."""
    if documents < FEWEST_DOCUMENTS or documents % 2:
        remedy = f"take an even number of at least {FEWEST_DOCUMENTS}"
        raise InputError(f"cannot split {documents} documents into mirrored pairs", remedy=remedy)
    held_out = {split: 2 * round(documents * share / 2) for split, share in SHARES.items()}
    return {"train": documents - sum(held_out.values()), "dev": held_out["dev"], "test": held_out["test"]}


def generate(documents: int, seed: int) -> dict[str, Split]:
    """All splits; no text occurs twice, within or across splits, and both documents of a pair are in one split."""
    lexicon = load()
    seen: set[str] = set()
    splits: dict[str, Split] = {}
    for split, size in sizes(documents).items():
        dealer = Dealer(f"{seed} {split}")
        texts: dict[str, DemoDocument] = {}
        while len(texts) < size:
            pair_plan = plan(dealer, lexicon, TRAINING_SHAPES if split == "train" else SHAPES)
            pair = [document(pair_plan, mirrored) for mirrored in (False, True)]
            if seen.isdisjoint(mirror.text for mirror in pair):
                seen.update(mirror.text for mirror in pair)
                number = len(texts) // 2 + 1
                texts |= {f"{split}-{number:04d}{side}": mirror for side, mirror in zip("ab", pair)}
        splits[split] = texts
    return splits


def sentences(split: Split) -> pd.DataFrame:
    """Sentence pairs with the columns doc_id, source and target."""
    rows = [
        (doc_id, sentence.source, sentence.target)
        for doc_id, demo_document in split.items()
        for sentence in demo_document.sentences
    ]
    return pd.DataFrame(rows, columns=["doc_id", "source", "target"])


def gold_tables(split: Split) -> dict[str, pd.DataFrame]:
    """The gold annotation of a split, by the name of its table."""
    return {
        name: pd.DataFrame([row for doc_id, demo_document in split.items() for row in rows(doc_id, demo_document)])
        for name, rows in GOLD.items()
    }


def contrastive_table(split: Split) -> pd.DataFrame:
    """The contrastive items of a split."""
    return pd.DataFrame([row for doc_id, demo_document in split.items() for row in contrastive(doc_id, demo_document)])
