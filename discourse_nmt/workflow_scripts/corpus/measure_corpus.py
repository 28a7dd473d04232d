"""Tell what the text of an imported corpus is like, as a table with remedies for what is out of the ordinary.

Shares of sentences that come back from the text stage, of scripts and of languages are those of at most 2,000 sentences
of each split; all other shares are those of the whole corpus. OUTPUT has one row per measure and side, a column for
each split, and the remedy.
"""

import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator

import pandas as pd

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.progress import progress
from discourse_nmt.base.storage.files import verified, write_text
from discourse_nmt.base.storage.shard_files import read_shards
from discourse_nmt.corpus.importing.near_duplicates import Tokens, sentence_hashes
from discourse_nmt.quality.measures import equal_sides, findings_of_text, twins
from discourse_nmt.quality.sample import Sample
from discourse_nmt.quality.table import Finding, aligned, table, warnings
from discourse_nmt.quality.twins import near_train
from discourse_nmt.text.settings import TextSettings
from discourse_nmt.workflow_scripts.command import JsonObject, arguments, run

COUNTS = ["documents", "sentences", "equal_sides", "sources_in_train"]


def read_statistics(path: str, splits: Iterable[str]) -> pd.DataFrame:
    """The counts of an import by split; anything else, or a table without these splits, is an :class:`InputError`."""
    try:
        frame = pd.read_csv(verified(path), sep="\t", usecols=["split", *COUNTS], dtype={"split": str}, na_filter=False)
        counts = frame.set_index("split").astype(int)
    except ValueError as error:
        raise InputError(f"no statistics of an import ({error})", file=path, remedy="import the corpus again") from None
    if absent := sorted(set(splits) - set(counts.index)):
        raise InputError(f"has no counts of {', '.join(absent)}", file=path, remedy="import the corpus again")
    return counts


def hashed(paths: Iterable[str], sample: Sample) -> Iterator[tuple[str, Tokens]]:
    """The hashes of the source of each document of a split, which is offered to the sample, too."""
    for path in paths:
        for shard in read_shards(path, "sentences"):
            for doc_id, document in shard.groupby("doc_id", sort=False):
                source = document["source"].tolist()
                sample.add(str(doc_id), source, document["target"].tolist())
                yield str(doc_id), sentence_hashes(source)


def measured(
    files: dict[str, list[str]], counts: pd.DataFrame, settings: TextSettings, threshold: float | None
) -> list[Finding]:
    """The findings of a corpus that was divided with a ``threshold`` of near-duplicates."""
    samples = {split: Sample() for split in files}
    others = {split: dict(hashed(paths, samples[split])) for split, paths in files.items() if split != "train"}
    near = near_train(others, hashed(progress(files["train"], "measure train", "files"), samples["train"]))
    passages = {split: sample.passages() for split, sample in samples.items()}
    paired = [split for split, found in passages.items() if any(any(passage.target) for passage in found)]
    percent = 100 / counts
    return [
        *findings_of_text(passages, settings),
        equal_sides({split: counts["equal_sides"][split] * percent["sentences"][split] for split in paired}),
        *twins(
            {split: counts["sources_in_train"][split] * percent["sentences"][split] for split in others},
            {split: near[split] * percent["documents"][split] for split in others},
            threshold,
        ),
    ]


def main() -> None:
    """Parse the arguments, measure, write."""
    parser = arguments(__doc__)
    add = parser.add_argument
    add("--sentences", nargs="+", required=True, metavar="SPLIT=FILE", help="sentences tables of all shards")
    add("--statistics", required=True, metavar="FILE", help="what import_corpus counted")
    add("--near-duplicates", type=float, help="threshold with which the corpus was divided; none by default")
    add("--settings", action=JsonObject, required=True, help="section text with languages, as JSON")
    add("--output", required=True, metavar="FILE", help="tab-separated table to write")
    options = parser.parse_args()

    files: dict[str, list[str]] = defaultdict(list)
    for argument in options.sentences:
        split, _, path = argument.partition("=")
        files[split].append(path)
    counts = read_statistics(options.statistics, files)
    findings = measured(files, counts, TextSettings.from_mapping(options.settings), options.near_duplicates)
    logging.info("%s", "\n".join(["What the text is like:", *aligned(findings, list(files))]))
    for warning in warnings(findings):
        logging.warning("warning: %s", warning)
    write_text(table(findings, list(files)).to_csv(sep="\t", index=False), options.output)


if __name__ == "__main__":
    run(main)
