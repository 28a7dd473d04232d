"""Arguments, reading and writing of the commands that score a run on one test set or compare it with another run."""

from argparse import ArgumentParser, Namespace

import numpy as np
import pandas as pd

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import write_text
from discourse_nmt.base.storage.tables import read_table
from discourse_nmt.scoring.alignment.references import pair
from discourse_nmt.scoring.comparison.settings import SignificanceSettings
from discourse_nmt.scoring.metrics.contrastive import contrastive_scores
from discourse_nmt.scoring.metrics.generation import generation_scores
from discourse_nmt.scoring.metrics.score import Score
from discourse_nmt.scoring.tables.scores import render, score_table
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.data.units import units_of


def add_names(parser: ArgumentParser) -> None:
    """Add the names of the scored run and test set, and the file of the scores."""
    parser.add_argument("--corpus", required=True, help="name of the corpus")
    parser.add_argument("--experiment", required=True, help="name of the experiment")
    parser.add_argument("--system", required=True, help="name of its system")
    parser.add_argument("--test-set", required=True, help="name of the test set")
    parser.add_argument("--output", required=True, help="score table to write (tab-separated)")


def add_normalised(parser: ArgumentParser) -> None:
    """Add the sides that the model reads normalised, which signatures tell."""
    sides = ["source", "target"]
    parser.add_argument(
        "--normalised", nargs="*", default=[], choices=sides, help="sides that the model reads normalised"
    )


def add_test_set_arguments(parser: ArgumentParser) -> None:
    """Add the references of translations and the options of metrics."""
    parser.add_argument("--sentences", nargs="+", required=True, help="sentences tables of the test set, every shard")
    parser.add_argument("--tokens", nargs="+", required=True, help="tokens tables of the test set, every shard")
    parser.add_argument("--dataset", required=True, help="dataset of the test set, which gives the 512-token instances")
    parser.add_argument("--language", required=True, help="target language code, which chooses sacrebleu's tokeniser")
    parser.add_argument("--lowercase", action="store_true", help="ignore case, for systems that write lowercase only")


def add_item_tables(parser: ArgumentParser) -> None:
    """Add what is known of the items of a test set or suite."""
    parser.add_argument("--contrastive", nargs="*", default=[], help="contrastive_scores tables, where there are any")
    parser.add_argument("--generation", nargs="*", default=[], help="judged_translations tables, where there are any")


def item_scores(options: Namespace) -> list[Score]:
    """Contrastive accuracy and generation accuracy of the items of which there are tables."""
    scores = []
    if options.contrastive:
        table = read_shards(options.contrastive, "contrastive_scores")
        scores += contrastive_scores(table, file=options.contrastive[0])
    if options.generation:
        table = read_shards(options.generation, "judged_translations")
        scores += generation_scores(table, file=options.generation[0])
    return scores


def add_seeds(parser: ArgumentParser) -> None:
    """Add the arguments of a comparison: the compared runs."""
    parser.add_argument("--seeds", nargs="+", type=int, required=True, help="seeds of the runs; rows have the first")
    parser.add_argument("--baseline", required=True, help="name of the baseline's experiment")
    parser.add_argument("--baseline-seeds", nargs="+", type=int, required=True, help="seeds of its runs")
    parser.add_argument(
        "--trainings",
        choices=["random", "fixed"],
        default=SignificanceSettings.trainings,
        help="whether a test of several seeds is about other trainings, too, or about these alone",
    )
    parser.add_argument("--groups", default="", help="regular expression of the group in a document's id, tested over")


def compared_seeds(files: list[str], baseline: list[str], options: Namespace) -> list[tuple[int, int]]:
    """Pairs of a seed of the system and a seed of the baseline.

    Raises :class:`InputError`: the numbers of files and seeds differ.
    """
    if len({len(values) for values in (files, baseline, options.seeds, options.baseline_seeds)}) > 1:
        what = "not as many files or seeds of the baseline as of the system"
        raise InputError(what, remedy="give a file and a seed of the baseline with each of the system")
    return list(zip(options.seeds, options.baseline_seeds))


def read_shards(paths: list[str], name: str) -> pd.DataFrame:
    """One table of all shards."""
    return pd.concat([read_table(path, name) for path in paths], ignore_index=True)


def read_instances(path: str) -> pd.DataFrame:
    """The 512-token instance of every sentence of a dataset: doc_id, sent_id, instance."""
    dataset = ParallelDataset(path)
    units = units_of(dataset, "instance")
    frame = dataset.table.select(["doc_id", "sent_id"]).to_pandas()
    return frame.assign(instance=np.repeat(np.arange(len(units)), units.stops - units.starts))


def read_pairs(translations: list[str], options: Namespace) -> list[pd.DataFrame]:
    """Each table of translations of the test set paired with the references by :func:`.pair`."""
    sentences = read_shards(options.sentences, "sentences")
    tokens = read_shards(options.tokens, "tokens")
    instances = read_instances(options.dataset)
    return [pair(sentences, tokens, read_table(path, "translations"), instances, file=path) for path in translations]


def write_scores(scores: list[Score], seed: int, options: Namespace) -> None:
    """Write the scores of the experiment's run with a seed."""
    names = {key: getattr(options, key) for key in ("corpus", "experiment", "system", "test_set")}
    write_text(render(score_table(scores, seed=seed, **names)), options.output)
