"""How well outputs with a text for each document are aligned with a test set, where the truth is known.

Outputs of WMT22 have a line for each segment. Lines are joined to documents or to paragraphs, a line for each sentence
of the splitter, or damaged: of the boundaries some are merged (the end mark becomes a comma) and of the sentences some
are split at a comma, left out, said twice, or exchanged with the next one. Prints one row of a table in Markdown for
each output and form, without and with references, for documents with odd numbers: weights were chosen on the others.

Boundaries are those between two translations that follow each other; found exactly are those with the right sentence on
both sides. F1 is that of sentences left out, and of texts said twice.

    python -m benchmarks.scoring.realignment
    python -m benchmarks.scoring.realignment --book        # time and memory for 20,000 sentences in one document
    python -m benchmarks.scoring.realignment --beside mwer/bin/python --outputs OpenNMT LanguageX

``--beside`` names the Python of an environment of its own with mweralign (GPL), by the edit distance to the reference:
its rows stand beside, with words as they are, or single characters for Chinese. Its SentencePiece models are downloads.
"""

import gzip
import json
import os
import random
import resource
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from sacrebleu.metrics.bleu import BLEU

from discourse_nmt.discourse.sentences import sentence_splitters
from discourse_nmt.sentence_alignment.lexicon import learn_lexicon
from discourse_nmt.sentence_alignment.output import AlignedOutput, align_output, align_outputs
from discourse_nmt.workflow_scripts.command import arguments, run

HEAD = """| output | language | form | references | boundaries | omitted | added | s-BLEU - true | sentences / CPU-s |
| --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: |"""
OUTPUTS = {"JDExploreAcademy": "de", "OpenNMT": "de", "HuaweiTSC": "ru", "LanguageX": "zh"}
BOOK = 20_000
# Reads [[references, text], ...] of documents, and prints their lines and the CPU-seconds.
PEER = """
import json, sys, time
from mweralign import align_texts
from mweralign.segmenter import CJSegmenter
language, documents = sys.argv[1], json.load(sys.stdin)
characters = CJSegmenter()
begin, aligned = time.process_time(), []
for references, text in documents:
    if language == "zh":
        references, text = [" ".join(characters.encode(one)) for one in references], " ".join(characters.encode(text))
    lines = align_texts("\\n".join(references), text).split("\\n")[: len(references)]
    aligned.append([characters.decode(line) if language == "zh" else line.strip() for line in lines])
json.dump([aligned, time.process_time() - begin], sys.stdout)
"""
Segment = tuple[int, str]
"""Number of the sentence in its document, -1 for what is said twice, and the text."""


@dataclass(frozen=True)
class Document:
    """A document of the test set with the true segments of an output, in the output's order."""

    name: str
    source: list[str]
    reference: list[str]
    segments: list[Segment]
    text: str


def read(path: Path) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [" ".join(line.split()) for line in file.read().split("\n")[:-1]]


def damaged(segments: list[Segment], rate: float, chance: random.Random, wide: bool) -> list[Segment]:
    """``segments`` with each kind of damage at this rate: left out, said twice, exchanged, merged, split."""
    kept: list[Segment] = []
    for segment in segments:
        draw = chance.random()
        if draw >= rate:
            kept.append(segment)
        if draw >= 1 - rate:
            kept.append((-1, segment[1]))
    for place in range(len(kept) - 1):
        (own, text), (other, following) = kept[place : place + 2]
        draw = chance.random() / rate
        if draw < 1 and min(own, other) >= 0:
            kept[place : place + 2] = [(other, following), (own, text)]
        elif draw < 2 and text[-1:] in ".。" and text[:-1] and following:
            kept[place] = own, text[:-1] + ("，" if wide else ",")
            kept[place + 1] = other, following[0].lower() + following[1:]
        elif draw < 3 and (comma := "，" if wide else ", ") in text:
            before, _, after = text.partition(comma)
            kept[place] = own, f"{before}。{after}" if wide else f"{before}. {after[:1].upper()}{after[1:]}"
    return kept


def documents(
    folder: Path, output: str, language: str, rate: float, join: Callable[[list[str]], str]
) -> list[Document]:
    """The documents with odd numbers, damaged at a rate and joined."""
    with (folder / "documents.tsv").open(encoding="utf-8") as file:
        names = [line.split("\t")[0] for line in file.read().split("\n")[1:-1]]
    source, reference = read(folder / "source.en.gz"), read(folder / f"ref.A.{language}.gz")
    lines, chance = read(folder / f"hyp.{output}.{language}.gz"), random.Random(1)
    found = []
    for name in list(dict.fromkeys(names))[1::2]:
        places = [place for place, named in enumerate(names) if named == name]
        segments = [(number, lines[place]) for number, place in enumerate(places)]
        segments = damaged(segments, rate, chance, language == "zh") if rate else segments
        own, other = ([side[place] for place in places] for side in (source, reference))
        found.append(Document(name, own, other, segments, join([text for _, text in segments])))
    return found


def visible(text: str) -> int:
    return len("".join(text.split()))


def found_spans(aligned: AlignedOutput) -> tuple[list[tuple[int, int]], set[tuple[int, int]]]:
    """The visible characters of each line, and those of added texts."""
    spans, added, place = [], set(), 0
    for number in range(len(aligned.lines) + 1):
        texts = [text for before, text in aligned.added if before == number]
        for text in texts:
            added.add((place, place + visible(text)))
            place += visible(text)
        if number < len(aligned.lines):
            spans.append((place, place + visible(aligned.lines[number])))
            place = spans[-1][1]
    return spans, added


class Tally:
    """What is found, and what is true."""

    def __init__(self) -> None:
        self.boundaries = self.exact = 0
        self.omitted, self.added = [0, 0, 0], [0, 0, 0]  # true, found, both
        self.lines: list[str] = []
        self.true_lines: list[str] = []
        self.references: list[str] = []

    def add(self, document: Document, aligned: AlignedOutput) -> None:
        """Count what is found in a document."""
        spans, added = found_spans(aligned)
        true_added, place, cuts = set(), 0, []
        lines = [""] * len(document.source)
        for number, text in document.segments:
            cuts.append((number, place))
            place += visible(text)
            if number < 0:
                true_added.add((cuts[-1][1], place))
            else:
                lines[number] = text
        for (before, _), (after, cut) in pairwise(cuts):
            if before >= 0 and after == before + 1:
                self.boundaries += 1
                self.exact += spans[before][1] == cut == spans[after][0]
        omitted = set(range(len(lines))) - {number for number, _ in document.segments}
        for counts, true, own in ((self.omitted, omitted, set(aligned.omitted)), (self.added, true_added, added)):
            for place, number in enumerate((len(true), len(own), len(true & own))):
                counts[place] += number
        self.lines += aligned.lines
        self.true_lines += lines
        self.references += document.reference

    def cells(self, language: str) -> list[str]:
        """Boundaries, F1 of omitted and added, and the difference of s-BLEU."""
        bleu = BLEU(tokenize="zh" if language == "zh" else "13a")
        own, true = (bleu.corpus_score(lines, [self.references]).score for lines in (self.lines, self.true_lines))
        figures = [
            f"{200 * both / (true + found):.1f}" if true else "" for true, found, both in (self.omitted, self.added)
        ]
        return [f"{100 * self.exact / self.boundaries:.2f} %", *figures, f"{own - true:+.2f}"]


def splitter(language: str) -> Callable[[list[str]], str]:
    """A document as a line for each sentence of the shipped splitter."""
    split = sentence_splitters({"target": language}).get("target", lambda texts: [[text] for text in texts])
    space = "" if language == "zh" else " "
    return lambda texts: "\n".join(split([space.join(texts)])[0])


def forms(language: str) -> dict[str, tuple[float, Callable[[list[str]], str]]]:
    space = "" if language == "zh" else " "
    paragraphs = lambda texts: "\n\n".join(space.join(texts[first : first + 4]) for first in range(0, len(texts), 4))  # noqa: E731
    return {
        "documents": (0, space.join),
        "paragraphs": (0, paragraphs),
        "split anew": (0, splitter(language)),
        "2 % damaged": (0.02, space.join),
        "5 % damaged": (0.05, space.join),
    }


def book(folder: Path) -> None:
    """Prints seconds and memory of the alignment of one document of 20,000 sentences."""
    source, lines = read(folder / "source.en.gz"), read(folder / "hyp.JDExploreAcademy.de.gz")
    times = -(-BOOK // len(source))
    lexicon = learn_lexicon(zip(source, lines))
    # The same sentence has another number in each part. It stands first, as its end mark is where the text is cut.
    both = [(f"{number} {one}", f"{number} {other}") for number in range(times) for one, other in zip(source, lines)][
        :BOOK
    ]
    start = time.process_time()
    aligned = align_output([one for one, _ in both], " ".join(other for _, other in both), lexicon=lexicon)
    seconds = time.process_time() - start
    right = sum(line == other for line, (_, other) in zip(aligned.lines, both)) / BOOK
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{BOOK:,} sentences: {seconds:.1f} CPU-seconds, {memory:.0f} MB at most, {100 * right:.1f} % of lines exact")


def main() -> None:
    parser = arguments(__doc__)
    data = Path(os.environ.get("DISCOURSE_NMT_DATA", "../shared/data")) / "parallel" / "wmt22_general"
    parser.add_argument("--folder", type=Path, default=data, help="of the WMT22 files")
    parser.add_argument("--book", action="store_true", help="one document of 20,000 sentences instead")
    parser.add_argument("--beside", help="Python of an environment with mweralign")
    parser.add_argument("--outputs", nargs="+", choices=OUTPUTS, default=list(OUTPUTS), help="outputs of WMT22")
    options = parser.parse_args()
    if options.book:
        book(options.folder)
        return
    print(HEAD)
    for output in options.outputs:
        language = OUTPUTS[output]
        for form, (rate, join) in forms(language).items():
            texts = documents(options.folder, output, language, rate, join)
            for referenced in (False, True):
                print(f"| {' | '.join([output, language, form, *measured(texts, language, referenced)])} |", flush=True)
            if options.beside:
                cells = measured_beside(texts, language, options.beside)
                print(f"| {' | '.join([output, language, form, *cells])} |", flush=True)


def measured(texts: Sequence[Document], language: str, referenced: bool) -> list[str]:
    """The cells of a row from the fourth on."""
    sources = {document.name: document.source for document in texts}
    references = {document.name: document.reference for document in texts} if referenced else None
    start = time.process_time()
    aligned = align_outputs(sources, {document.name: document.text for document in texts}, references)
    seconds = time.process_time() - start
    tally = Tally()
    for document in texts:
        tally.add(document, aligned[document.name])
    rate = sum(map(len, sources.values())) / seconds
    return ["yes" if referenced else "no", *tally.cells(language), f"{rate:,.0f}"]


def measured_beside(texts: Sequence[Document], language: str, python: str) -> list[str]:
    """The same of mweralign, which finds no omissions and additions."""
    given = json.dumps([[document.reference, " ".join(document.text.split())] for document in texts])
    words = [python, "-c", PEER, language]
    aligned, seconds = json.loads(subprocess.run(words, input=given, capture_output=True, text=True, check=True).stdout)
    tally = Tally()
    for document, lines in zip(texts, aligned):
        tally.add(document, AlignedOutput(lines + [""] * (len(document.source) - len(lines))))
    rate = sum(len(document.source) for document in texts) / seconds
    boundaries, *_, bleu = tally.cells(language)
    return ["mweralign", boundaries, "", "", bleu, f"{rate:,.0f}"]


if __name__ == "__main__":
    run(main)
