"""Peak memory of learning truecasing and BPE, whose counts grow with the words that a corpus has.

Words are drawn from a Zipf distribution without an end (exponent 1.35), so that the number of distinct words grows with
the corpus, as in real text; those of a bounded vocabulary would hide it. The last line learns from a part of the
largest corpus, as ``corpora.NAME.text_pairs`` chooses it.
"""

import argparse
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.workflow.peak_memory import peak_of
from discourse_nmt.base.storage.shard_files import write_shards

SHARD, DOCUMENT, WORDS = 10_000, 20, 20  # sentence pairs, sentences, words of a sentence
EXPONENT, LARGEST = 1.35, 10**9
TEXT = json.dumps({"source_language": "en", "target_language": "de", "bpe": {"merges": 8000}})


def shards(count: int) -> Iterator[pd.DataFrame]:
    """Tokens tables of ``count`` sentence pairs."""
    source = np.random.default_rng(1)
    for first in range(0, count, SHARD):
        ranks = np.minimum(source.zipf(EXPONENT, (2 * SHARD, WORDS)), LARGEST)
        numbers = np.repeat(np.arange(first, first + SHARD), 2)
        tokens = [[_word(rank) for rank in row] for row in ranks.tolist()]
        empty = [np.arange(WORDS, dtype=np.int32)] * len(tokens)
        names = [f"document {number // DOCUMENT}" for number in numbers.tolist()]
        sides = ["source", "target"] * SHARD
        frame = {"doc_id": names, "sent_id": numbers % DOCUMENT, "side": sides, "tokens": tokens}
        yield pd.DataFrame({**frame, "starts": empty, "ends": empty})


def _word(rank: int) -> str:
    """Letters that stand for a rank; frequent words are short."""
    letters = ""
    while rank:
        rank, digit = divmod(rank, 26)
        letters += chr(ord("a") + digit)
    return letters


def main() -> None:
    """Print a line for each number of sentence pairs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, nargs="+", default=[100_000, 400_000], help="sizes, the largest last")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for pairs in given.pairs:
            write_shards(shards(pairs), folder / f"{pairs}.parquet", "tokens")
        for pairs, part in [*((pairs, pairs) for pairs in given.pairs), (given.pairs[-1], given.pairs[0])]:
            tokens = ["--tokens", str(folder / f"{pairs}.parquet"), "--pairs", str(part), "--settings", TEXT]
            casings = {side: str(folder / f"{side}.casing") for side in ("source", "target")}
            for side, path in casings.items():
                casing = peak_of("text.train_truecaser", [*tokens, "--side", side, "--output", path])
            models = [word for side, path in casings.items() for word in (f"--{side}-truecaser", path)]
            for side in casings:
                for kind in ("codes", "vocabulary"):
                    models += [f"--{side}-{kind}", str(folder / f"{side}.{kind}")]
            bpe = peak_of("text.learn_bpe", [*tokens, *models])
            print(
                f"{part:,} of {pairs:,} pairs: truecasing {casing.anonymous} MB {casing.seconds:.0f} s, "
                f"BPE {bpe.anonymous} MB {bpe.seconds:.0f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
