"""Build the file of the source words of one split that a cache may hold: which are the same, which are stop words."""

from functools import partial
from pathlib import Path

from discourse_nmt.corpus.storage.files import read_text, replacing
from discourse_nmt.corpus.storage.shard_files import read_split
from discourse_nmt.text.stop_words import is_stop_word, stop_word_file
from discourse_nmt.training.builders.cache_words import write_cache_words
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.workflow_scripts.command import arguments, run


def main() -> None:
    """Parse the arguments, read, write, check."""
    parser = arguments(__doc__)
    parser.add_argument("--dataset", required=True, type=Path, help="dataset of the split, an Arrow IPC file")
    parser.add_argument("--tokens", required=True, nargs="+", type=Path, help="tokens tables of all its shards")
    parser.add_argument(
        "--language", required=True, help="source language, whose stop words are in resources/stop_words"
    )
    parser.add_argument("--output", required=True, type=Path, help="file to write, an Arrow IPC file")
    options = parser.parse_args()

    dataset = ParallelDataset(options.dataset)
    stop_words = frozenset(read_text(stop_word_file(options.language)).lower().split("\n"))
    shards = read_split({"tokens": options.tokens})
    with replacing(options.output) as temporary:
        write_cache_words(dataset, shards, temporary, partial(is_stop_word, stop_words=stop_words))


if __name__ == "__main__":
    run(main)
