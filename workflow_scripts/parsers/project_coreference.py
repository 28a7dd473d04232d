"""Project coreference chains over word alignments: the resolver of one language reads its side of parallel documents,
and its mentions become those of the other side.

--parallel names tables of sentences (data/<run>/sentences/*.parquet of a corpus) or folders in which NAME.FROM and
NAME.TO, with language codes as endings, are the two sides of a document: line N of one translates line N of the other.
The words of both sides are aligned by a model that is learnt from all lines, and from those of --more.

Writes into --output: chains.conll (GUM's three columns, with types and mentions without a chain; training reads it),
chains.conll2012 (chains alone), syntax.conllu (the other side's words and syntax) and counts.json (the mentions that
were projected, and those that were not and why). Zero pronouns have no word and are never projected.
"""

import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.corpus.storage.files import write_json, write_text
from discourse_nmt.corpus.storage.shard_files import read_shards
from discourse_nmt.corpus.storage.sources import expand
from discourse_nmt.discourse.analysers.analyser import SentenceAnalysis
from discourse_nmt.discourse.analysers.annotation import conllu_of
from discourse_nmt.discourse.analysers.segmentation import Segmenter
from discourse_nmt.discourse.analysers.weights import load_analyser, load_segmenter
from discourse_nmt.discourse.coreference.lexicons import lexicon_of
from discourse_nmt.discourse.coreference.projection import (
    ParallelDocument,
    chains_only,
    project,
    with_repeated_texts,
)
from discourse_nmt.discourse.coreference.weights import load_resolver
from discourse_nmt.discourse.formats.conllu import write_conllu
from discourse_nmt.discourse.formats.coreference import write_conll_coreference, write_gum_coreference
from discourse_nmt.scoring.alignment.word_alignment import Aligner, learn
from discourse_nmt.workflow_scripts.command import arguments, run


@dataclass(frozen=True)
class ParallelLines:
    """The two sides of a document, line by line."""

    name: str
    sides: tuple[list[str], list[str]]

    def __len__(self) -> int:
        return len(self.sides[0])


@dataclass(frozen=True)
class AnalysedSide:
    """One side of a document: its sentences, and the line of each."""

    sentences: list[SentenceAnalysis]
    lines: list[int]

    def words(self, count: int) -> list[list[str]]:
        """The words of each of ``count`` lines."""
        return words_of([(sentence.forms, line) for sentence, line in zip(self.sentences, self.lines)], count)


def read_parallel(places: Iterable[str], languages: tuple[str, str], source: str) -> Iterator[ParallelLines]:
    """The documents of tables and folders; ``source`` is the language of the tables' source side."""
    for place in places:
        if Path(place).is_dir():
            yield from _of_folder(Path(place), languages)
            continue
        for file in expand(place):
            for shard in read_shards(file.name, "sentences", ["doc_id", "source", "target"]):
                for name, rows in shard.groupby("doc_id", sort=False):
                    sides = rows["source"].tolist(), rows["target"].tolist()
                    yield ParallelLines(str(name), sides if source == languages[0] else sides[::-1])


def _of_folder(folder: Path, languages: tuple[str, str]) -> Iterator[ParallelLines]:
    files = expand(f"{folder}/*.{languages[0]}")
    for file in files:
        [other] = expand(f"{folder}/{file.stem}.{languages[1]}")
        first, second = list(file.lines()), list(other.lines())
        if len(first) != len(second):
            raise InputError(
                f"{len(second)} lines, {len(first)} in {file.name}",
                file=other.name,
                remedy="give files whose lines translate each other",
            )
        yield ParallelLines(file.stem, (first, second))


def divided(lines: list[str], segmenter: Segmenter | None) -> list[tuple[list[str], int]]:
    """The words of each sentence, and its line; without a segmenter a line is a sentence, and spaces divide it."""
    if segmenter is None:
        return [(line.split(), number) for number, line in enumerate(lines) if line.split()]
    return [
        ([line[start:end] for start, end in sentence.words], number)
        for number, (line, sentences) in enumerate(zip(lines, segmenter.segment(lines)))
        for sentence in sentences
    ]


def words_of(sentences: Sequence[tuple[Sequence[str], int]], count: int) -> list[list[str]]:
    """The words of each of ``count`` lines."""
    words: list[list[str]] = [[] for _ in range(count)]
    for forms, line in sentences:
        words[line] += forms
    return words


def analysed_and_aligned(
    documents: Sequence[ParallelLines], more: Sequence[ParallelLines], folders: Sequence[Path], spaced: bool
) -> tuple[list[AnalysedSide], list[AnalysedSide], Aligner]:
    """Both sides of the documents with their syntax, and the aligner, which learns from ``more`` as well."""
    sides: list[list[AnalysedSide]] = []
    words: list[list[list[str]]] = []
    for number, folder in enumerate(folders):
        segmenter = None if spaced else load_segmenter(folder)
        sentences = [divided(one.sides[number], segmenter) for one in (*documents, *more)]
        words.append([line for one, lines in zip(sentences, (*documents, *more)) for line in words_of(one, len(lines))])
        analyser = load_analyser(folder, units=False)
        analyses = analyser.analyse([[forms for forms, _ in one] for one in sentences[: len(documents)]])
        sides.append([AnalysedSide(one, [line for _, line in lines]) for one, lines in zip(analyses, sentences)])
    return sides[0], sides[1], Aligner(learn(*words))


def main() -> None:
    """Parse the arguments, read, analyse, align, project, write."""
    parser = arguments(__doc__)
    add = parser.add_argument
    add("--parallel", nargs="+", required=True, metavar="PLACE", help="tables of sentences (Parquet), or folders")
    add(
        "--more", nargs="*", default=[], metavar="PLACE", help="more of them, which only the word alignment learns from"
    )
    add("--from", dest="first", default="en", help="language of the resolver, ISO 639-1")
    add("--to", dest="second", required=True, help="language to project to")
    add("--source", help="language of the source side of the tables; default: that of --from")
    add("--analysers", default="resources/analysers", metavar="FOLDER", help="folder with weights of both languages")
    add("--spaced", action="store_true", help="lines are sentences whose words are divided by spaces already")
    add("--certainty", type=float, default=0.5, help="least probability of mentions without a chain that are projected")
    add("--repeats", action="store_true", help="phrases written like several mentions of one entity alone join it")
    add("--output", required=True, metavar="FOLDER", help="folder to write")
    options = parser.parse_args()

    languages = options.first, options.second
    lexicon = lexicon_of(options.second)
    folders = [Path(options.analysers) / language for language in languages]
    resolver = load_resolver(folders[0])
    source = options.source or options.first
    if source not in languages:
        raise InputError(f"--source is {source}", remedy=f"give {languages[0]} or {languages[1]}")
    if not 0 <= options.certainty <= 1:
        raise InputError(f"--certainty is {options.certainty:g}", remedy="give a probability")
    documents = list(read_parallel(options.parallel, languages, source))
    more = list(read_parallel(options.more, languages, source))
    repeated = [name for name, count in Counter(one.name for one in documents).items() if count > 1]
    if repeated or not documents:
        fault = f"document {repeated[0]} is there twice" if repeated else "no document"
        raise InputError(fault, file=options.parallel[0], remedy="correct --parallel")
    first, second, aligner = analysed_and_aligned(documents, more, folders, options.spaced)

    projections = []
    for document, left, right in zip(documents, first, second):
        links = [one.tolist() for one in aligner.align(left.words(len(document)), right.words(len(document)))]
        parallel = ParallelDocument(document.name, left.sentences, right.sentences, left.lines, right.lines, links)
        found = resolver.mentions_of(left.sentences)
        sizes = Counter(mention.entity for mention in found)
        kept = [one for one in found if sizes[one.entity] > 1 or one.certainty >= options.certainty]
        projections.append(project(parallel, kept, lexicon))
    output = Path(options.output)
    pages = [conllu_of(one.name, side.sentences) for one, side in zip(documents, second)]
    write_text(write_conllu(sentence for page in pages for sentence in page), output / "syntax.conllu")
    projected = [one.document for one in projections]
    if options.repeats:
        projected = [with_repeated_texts(one, side.sentences, lexicon) for one, side in zip(projected, second)]
    chains = [chains_only(document) for document in projected]
    write_text(write_gum_coreference(projected), output / "chains.conll")
    write_text(write_conll_coreference(chains), output / "chains.conll2012")
    outcomes = sum((one.outcomes for one in projections), Counter())
    counts: dict[str, int | dict[str, int]] = {
        "documents": len(documents),
        "chains": sum(len({mention.entity for mention in document.mentions}) for document in chains),
        "mentions of chains": sum(len(document.mentions) for document in chains),
        **{
            name: {outcome: count for (outcome, fellows), count in sorted(outcomes.items()) if fellows == name}
            for name in ("chain", "alone")
        },
    }
    write_json(counts, output / "counts.json")
    logging.info("%s", counts)


if __name__ == "__main__":
    run(main)
