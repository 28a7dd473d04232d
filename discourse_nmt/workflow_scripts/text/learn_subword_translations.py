"""Learn the most probable translations of each subword from a dataset, for shortlists of the target vocabulary.

docs/reference/document-metrics.md explains the model, which is that of the word alignment.
"""

from pathlib import Path

import numpy as np

from discourse_nmt.base.arrays import Integers
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.spans import ranges
from discourse_nmt.base.vocabulary import Vocabulary
from discourse_nmt.models.switches.decoding import LISTED
from discourse_nmt.scoring.alignment.settings import DocumentMetricsSettings
from discourse_nmt.training.checkpoints.subword_translations import save_translations
from discourse_nmt.training.data.dataset import ParallelDataset, Side
from discourse_nmt.word_alignment.probable_translations import probable_translations
from discourse_nmt.word_alignment.sentence_pairs import PairSide, SentencePairs
from discourse_nmt.workflow_scripts.command import arguments, run


def pairs_of(dataset: ParallelDataset, most: int) -> SentencePairs:
    """At most ``most`` sentence pairs of the dataset, spread evenly."""
    count = min(most, len(dataset))
    rows = np.arange(count) * len(dataset) // max(1, count)
    return SentencePairs(*(side_of_rows(side, rows) for side in (dataset.source, dataset.target)))


def side_of_rows(side: Side, rows: Integers) -> PairSide:
    """One side of the ``rows``, copied."""
    starts, stops = side.offsets[rows], side.offsets[rows + 1]
    return PairSide(side.ids[ranges(starts, stops)].astype(np.int64), np.concatenate([[0], np.cumsum(stops - starts)]))


def main() -> None:
    """Read a dataset, write translations of subwords."""
    parser = arguments(__doc__)
    parser.add_argument("--dataset", type=Path, required=True, help="dataset to learn from (Arrow)")
    parser.add_argument("--source-vocabulary", type=Path, required=True, help="vocabulary of the source side")
    parser.add_argument("--target-vocabulary", type=Path, required=True, help="vocabulary of the target side")
    parser.add_argument(
        "--pairs",
        type=int,
        default=DocumentMetricsSettings.alignment_pairs,
        help="largest number of sentence pairs; they are spread evenly",
    )
    parser.add_argument("--output", type=Path, required=True, help="translations of subwords to write (safetensors)")
    options = parser.parse_args()
    if options.pairs < 1:
        raise InputError(f"--pairs is {options.pairs}", remedy="give at least 1")
    dataset = ParallelDataset(options.dataset)
    if not len(dataset):
        raise InputError("no sentence pairs", file=options.dataset, remedy="give the dataset of a split with text")
    vocabularies = Vocabulary.load(options.source_vocabulary), Vocabulary.load(options.target_vocabulary)
    sizes = len(vocabularies[0]), len(vocabularies[1])
    for side, size in zip((dataset.source, dataset.target), sizes):
        if side.largest >= size:
            raise InputError("made with another vocabulary", file=options.dataset, remedy="make the dataset again")
    translations = probable_translations(pairs_of(dataset, options.pairs), sizes, LISTED)
    save_translations(options.output, translations, vocabularies)


if __name__ == "__main__":
    run(main)
