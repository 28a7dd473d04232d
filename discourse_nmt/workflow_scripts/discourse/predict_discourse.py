"""Analyse the source side of a dataset with a trained multi-task model: discourse units, their heads and relations, as
the tables edus, rst and rst_dependencies that analysers write.

With the dependencies file of a parser, or of gold tables, the model is scored against it: units as spans of words, and
on the units of that file heads (UAS) and relations (LAS), each unit with its most probable head.
"""

from pathlib import Path

import torch

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.progress import progress
from discourse_nmt.base.storage.files import write_text
from discourse_nmt.base.storage.tables import read_table, write_table
from discourse_nmt.base.vocabulary import Vocabulary
from discourse_nmt.discourse.evaluation.figures import figures, write_figures
from discourse_nmt.discourse.evaluation.tasks import EDU, GOLD, PREDICTED, RST_DEPENDENCIES, Scores
from discourse_nmt.models.context.inference import Paragraph
from discourse_nmt.models.core.inference import device_named
from discourse_nmt.models.multitask.network import Multitask
from discourse_nmt.models.multitask.paragraph_analysis import ParagraphAnalysis
from discourse_nmt.models.multitask.parsing import ParsedParagraph, parse_paragraphs
from discourse_nmt.training.builders.predicted_analysis import (
    MADE,
    attachment_counts,
    discourse_tables,
    offsets_of,
    segmentation_counts,
)
from discourse_nmt.training.checkpoints.model_files import load_model
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.data.units import units_of
from discourse_nmt.training.structures.paragraph_dependencies import DatasetWords, ParagraphDependencyFile
from discourse_nmt.workflow_scripts.command import arguments, run


def opened(path: Path, source: Path, target: Path, device: str) -> Multitask:
    """The model; one that parses nothing is an :class:`InputError`."""
    vocabularies = Vocabulary.load(source), Vocabulary.load(target)
    network = load_model(path, *vocabularies, system="multitask", device=device_named(device))
    assert isinstance(network, Multitask)
    settings = network.settings
    if settings.context == "none" or settings.edu_attn == "mhsa" or settings.paragraph_len < 16:
        raise InputError(
            "this model does not parse paragraphs of 16 sentences",
            file=path,
            remedy="train one with context: offline, edu_attn: dasa and paragraph_len: 16",
        )
    return network


def agreement(
    network: Multitask,
    gold: ParagraphDependencyFile,
    borders: list[tuple[int, int]],
    tokens: int,
    found: dict[int, ParsedParagraph],
    source: list[list[int]],
) -> list[Scores]:
    """Counts of each paragraph against ``gold``."""
    analyses = [gold[start:stop] for start, stop in borders]
    # Without heads and relations: relations of the file are compared by name, and may be others than the model's.
    bare = [
        Paragraph(source[start:stop], structure=ParagraphAnalysis(one.words, one.units))
        for (start, stop), one in zip(borders, analyses)
    ]
    classes, scores = network.settings.classes, []
    for number, one in parse_paragraphs(network, bare, tokens, given=True):
        if not len(one.heads):  # a paragraph without words
            continue
        analysis = analyses[number]
        heads = one.heads.argmax(axis=1).tolist()
        names = [classes[each] for each in one.relations(heads)]
        counts = attachment_counts((list(analysis.heads), analysis.relations), (heads, names))
        scores.append(
            {(EDU, PREDICTED): segmentation_counts(analysis, found[number]), (RST_DEPENDENCIES, GOLD): counts}
        )
    return scores


def main() -> None:
    """Parse the arguments, read, analyse, write."""
    parser = arguments(__doc__)
    add = parser.add_argument
    add("--model", type=Path, required=True, help="trained model (safetensors)")
    add("--dataset", type=Path, required=True, help="dataset to analyse (Arrow)")
    add("--tokens", type=Path, required=True, nargs="+", help="tokens tables of all its shards")
    add("--source-vocabulary", type=Path, required=True, help="vocabulary of the source side")
    add("--target-vocabulary", type=Path, required=True, help="vocabulary of the target side")
    add("--batch-tokens", type=int, default=8000, help="source subwords analysed at a time")
    add("--threads", type=int, default=1, help="CPU threads")
    add("--device", choices=["auto", "cpu", "cuda"], default="auto", help="auto: cuda if there is one")
    for name in MADE:
        add(f"--{name.replace('_', '-')}", type=Path, required=True, help=f"table {name} to write (Parquet)")
    add("--against", type=Path, help="dependencies file of the dataset to score the model against")
    add("--scores", type=Path, help="scores to write (tab-separated), with --against")
    options = parser.parse_args()
    if (options.against is None) != (options.scores is None):
        raise InputError("one of --against and --scores is missing", remedy="give both, or none")

    torch.set_num_threads(options.threads)
    network = opened(options.model, options.source_vocabulary, options.target_vocabulary, options.device)
    dataset = ParallelDataset(options.dataset)
    offsets = offsets_of(dataset, [read_table(path, "tokens") for path in options.tokens])
    units = units_of(dataset, "paragraph")
    borders = list(zip(units.starts.tolist(), units.stops.tolist()))
    words, source = DatasetWords(None, dataset), dataset.source.sentences()
    paragraphs = [Paragraph(source[start:stop], structure=words[start:stop]) for start, stop in borders]
    parsing = parse_paragraphs(network, paragraphs, options.batch_tokens, given=False)
    found = dict(progress(parsing, "analyse", "paragraphs", len(paragraphs)))
    ordered = [(*pair, found[number]) for number, pair in enumerate(borders)]
    for name, table in discourse_tables(dataset, offsets, ordered, network.settings.classes).items():
        write_table(table, getattr(options, name), name)
    if options.against is not None:
        gold = ParagraphDependencyFile(options.against, dataset)
        scores = agreement(network, gold, borders, options.batch_tokens, found, source)
        write_text(write_figures(figures(scores)), options.scores)


if __name__ == "__main__":
    run(main)
