"""Score files of translations against references, and test whether systems differ, without a run of the workflow."""

import argparse
import json
import logging
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from discourse_nmt.base.errors import InputError
from discourse_nmt.scoring.comparison.settings import SignificanceSettings

if TYPE_CHECKING:
    import pandas as pd

    from discourse_nmt.corpus.hypotheses import Hypotheses
    from discourse_nmt.corpus.outputs import Output
    from discourse_nmt.scoring.metrics.score import Score

SUMMARY = "Score files of translations against references; test whether systems differ."
EXAMPLES = """\
A file has one sentence per line, detokenised. Translations may also be JSON
lines (.jsonl) or one file per document ("gpt/*.txt"). Scores equal those of
sacrebleu and of the workflow. With --documents there are d-BLEU and tests over
documents; without it tests are over lines. Lines of one document are not
independent, so that too many differences look significant. With --source and
its language there are lexical consistency, pronouns and outliers in length.

With --documents, a system may have a text for each document, of any number of
sentences: it is aligned with the references, and with --source, if given.

examples:
  discourse-nmt score --language de --references test.de gpt.txt
  discourse-nmt score --language de --references test.de old.txt --format tsv
  discourse-nmt score old.txt new.txt --language de --references r.de --documents ids --baseline old
"""
MEASURES = ("s-BLEU", "d-BLEU (document)", "chrF2++", "TER")
OUTPUTS = ("markdown", "tsv", "json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The files, their language, the tests, the form of the output."""
    add, significance = parser.add_argument, SignificanceSettings()
    add("hypotheses", nargs="+", metavar="[NAME=]FILE", help="translations of a system; the default name is the file's")
    add("--references", type=Path, required=True, metavar="FILE", help="references, one sentence per line")
    add("--source", type=Path, metavar="FILE", help="source, one sentence per line")
    add("--documents", type=Path, metavar="FILE", help="document id of each sentence, one per line")
    add("--source-language", metavar="LANGUAGE", help="its language, for example en: also scores of whole documents")
    add("--alignment", type=Path, metavar="FILE", help="word translations of a run; default: of source and references")
    add("--language", required=True, help="target language, for example de")
    add("--lowercase", action="store_true", help="ignore case")
    add("--baseline", metavar="NAME", help="system that the others are compared with; without it nothing is tested")
    add("--samples", type=int, default=significance.samples, metavar="N", help="samples of the paired bootstrap")
    add("--trials", type=int, default=significance.trials, metavar="N", help="trials of approximate randomisation")
    add("--random-seed", type=int, default=significance.seed, metavar="N", help="seed of the draws")
    add("--format", choices=OUTPUTS, default="markdown", help="form of the output; tsv and json have all digits")
    add("--output", type=Path, metavar="FILE", help="file to write instead of standard output")


def run(arguments: argparse.Namespace) -> int:
    """Read the files, score and compare them, print or write the table."""
    from discourse_nmt.base.languages import check_language
    from discourse_nmt.scoring.tables.summary import main_metrics, markdown

    check_language(arguments.language, "--language")
    for option in ("samples", "trials", "random_seed"):
        if getattr(arguments, option) < 1:
            raise InputError(f"--{option.replace('_', '-')} is {getattr(arguments, option)}", remedy="give at least 1")
    given = (arguments.references, arguments.documents, arguments.source, arguments.alignment)
    check_output(arguments.output, given, arguments.hypotheses)
    logging.getLogger("sacrebleu").setLevel(logging.ERROR)
    table = score(arguments)
    metrics = (*main_metrics(table), "lexical consistency (content words)")
    put_out(in_form(table, arguments.format, lambda table: markdown(table, metrics)), arguments.output)
    return 0


def check_output(
    output: Path | None, given: Iterable[Path | None], hypotheses: Sequence[str], option: str = "--output"
) -> None:
    """Raise :class:`InputError` where the file to write is read: it is ``given``, or one of the ``hypotheses``."""
    from discourse_nmt.base.sources import files

    read = [path for path in given if path is not None]
    read += [path for pattern in named(hypotheses).values() for path in files(pattern)]
    if output is not None and output.resolve() in {path.resolve() for path in read}:
        raise InputError("is read and would be overwritten", file=output, remedy=f"give another {option}")


def in_form(table: "pd.DataFrame", form: str, markdown: "Callable[[pd.DataFrame], str]") -> str:
    """A table of scores in one of :data:`OUTPUTS`."""
    from discourse_nmt.scoring.tables.scores import render

    if form == "json":
        return json.dumps(table.to_dict("records"), ensure_ascii=False, indent=2) + "\n"
    return render(table) if form == "tsv" else markdown(table)


def put_out(text: str, output: Path | None) -> None:
    """Write a text to a file, or print it where there is none."""
    from discourse_nmt.base.storage.files import write_text

    if output is None:
        print(text, end="")
    else:
        write_text(text, output, sealed=False)


def score(arguments: argparse.Namespace) -> "pd.DataFrame":
    """The long table of the scores of every system, and of the comparisons with the baseline."""
    import pandas as pd

    from discourse_nmt.corpus.outputs import read_output
    from discourse_nmt.scoring.comparison.comparison import Comparison, Resampling, measure_tests
    from discourse_nmt.scoring.metrics.score import Score
    from discourse_nmt.scoring.metrics.translation import alignment_counts, measured_segments, translation_counts
    from discourse_nmt.scoring.tables.scores import score_table

    references, documents = read_references(arguments.references, arguments.documents)
    lengths = {name: documents.count(name) for name in dict.fromkeys(documents)}
    files = named(arguments.hypotheses)
    if arguments.baseline not in (None, *files):
        raise InputError(f"--baseline: no system {arguments.baseline}", remedy=f"there are {', '.join(files)}")
    sources = read_sources(arguments.source, references, arguments.references)
    in_documents = scorer_of_documents(arguments, documents, sources, references) if arguments.source_language else None
    segments, alignments, of_documents = {}, {}, {}
    for name, file in files.items():
        output = read_output(file, lengths, str(arguments.references))
        read, alignments[name] = aligned(output, documents, sources, references, arguments.language)
        of_documents[name] = in_documents(read) if in_documents else []
        pairs = pd.DataFrame(
            {
                "doc_id": documents,
                "hypothesis": [text for document in lengths for text in read[document]],
                "reference": references,
                "instance": documents,
            }
        )
        # Words and instances belong to measures that need the text stage of a corpus; they are left out below.
        words = {f"{side}_tokens": pairs[side].str.split() for side in ("hypothesis", "reference")}
        pairs = pairs.assign(**words)
        measured = measured_segments(pairs, language=arguments.language, lowercase=arguments.lowercase)
        wanted = [name for name in MEASURES if arguments.documents or name != "d-BLEU (document)"]
        segments[name] = [one for one in measured if one.measure.name in wanted]
    tables = []
    for name, own in segments.items():
        scores: list[Score] = [*(one.score() for one in own), own[0].length_ratio(), *translation_counts(own[0])]
        scores += [*alignment_counts(alignments[name]), *of_documents[name]]
        if arguments.baseline not in (None, name):
            unit: Literal["documents", "lines"] = "documents" if arguments.documents else "lines"
            comparison = Comparison(arguments.baseline, [(0, 0)], unit=unit)
            resampling = Resampling(arguments.samples, arguments.trials, arguments.random_seed)
            for one, other in zip(own, segments[arguments.baseline], strict=True):
                scores += measure_tests([one], [other], comparison, resampling)
        names = {"experiment": name, "system": "external", "test_set": arguments.references.name}
        tables.append(score_table(scores, corpus=arguments.language, seed=0, **names))
    return pd.concat(tables, ignore_index=True)


def scorer_of_documents(
    arguments: argparse.Namespace, documents: list[str], sources: list[str], references: list[str]
) -> "Callable[[dict[str, list[str]]], list[Score]]":
    """A function from translations, by document, to the scores of the workflow's ``document_scores``.

    Words are aligned by the table ``--alignment``, or by what source and references teach. Raises :class:`InputError`:
    no ``--documents`` or ``--source``.
    """
    import pandas as pd

    from discourse_nmt.base.languages import check_language
    from discourse_nmt.base.storage.tables import read_table
    from discourse_nmt.scoring.alignment.references import KEY, pair
    from discourse_nmt.scoring.metrics.document_metrics import SourceAnnotation, document_scores
    from discourse_nmt.text.settings import TextSettings
    from discourse_nmt.text.stages import tokenise
    from discourse_nmt.text.stop_words import stop_words
    from discourse_nmt.text.tokenisers import tokeniser
    from discourse_nmt.word_alignment.model import Aligner, learn

    for option in ("documents", "source"):
        if getattr(arguments, option) is None:
            raise InputError(f"--source-language needs --{option}", remedy="give both")
    language = arguments.source_language
    check_language(language, "--source-language")
    sentences = pd.DataFrame({"doc_id": documents, "source": sources, "target": references})
    sentences["sent_id"] = sentences.groupby("doc_id", sort=False).cumcount()
    settings = TextSettings.from_mapping({"source_language": language, "target_language": arguments.language})
    tokens = tokenise(sentences, settings)
    sides = [tokens.loc[tokens["side"] == side, "tokens"].tolist() for side in ("source", "target")]
    table = read_table(arguments.alignment, "word_translations") if arguments.alignment else learn(*sides)
    try:
        listed = stop_words(language)
    except InputError:
        listed = None
    annotation = SourceAnnotation(language=language, tokens=tokens, stop_words=listed)
    aligner, cut = Aligner(table), tokeniser(settings.target).tokenise

    def scores(translations: dict[str, list[str]]) -> "list[Score]":
        texts = [text for translated in translations.values() for text in translated]
        words = pd.Series([cut(text).tokens for text in texts], dtype=object)
        rows = sentences[KEY].assign(hypothesis=texts, tokens=words, rank=0)
        instances = sentences[KEY].assign(instance=0)
        pairs = pair(sentences, tokens, rows, instances, file="")
        return document_scores(pairs, annotation, aligner, language=arguments.language, lowercase=arguments.lowercase)

    return scores


def aligned(
    output: "Output", documents: list[str], sources: list[str], references: list[str], language: str
) -> "tuple[Hypotheses, pd.DataFrame]":
    """The translation of each sentence of an output, by document, and the table ``output_alignment``."""
    from discourse_nmt.quality.languages import other_language
    from discourse_nmt.sentence_alignment.output import align_outputs, alignment_table

    if not output.texts:
        return output.sentences, alignment_table({})
    sides: list[dict[str, list[str]]] = [{name: [] for name in output.texts} for _ in range(2)]
    for side, lines in zip(sides, (sources, references)):
        for document, line in zip(documents, lines, strict=True):
            side[document].append(line)
    found = align_outputs(sides[0], output.texts, sides[1], lambda text: other_language([text], language))
    return {document: one.lines for document, one in found.items()}, alignment_table(found)


def read_sources(source: Path | None, references: list[str], file: Path) -> list[str]:
    """The sources of the ``references`` of a file; the references themselves where there is no file of sources."""
    from discourse_nmt.base.sources import Source

    if source is None:
        return references
    lines = list(Source(str(source), None, source).lines())
    if len(lines) != len(references):
        remedy = "write one source sentence a line"
        raise InputError(f"{len(lines):,} lines, but {file} has {len(references):,}", file=source, remedy=remedy)
    return lines


def read_references(references: Path, documents: Path | None) -> tuple[list[str], list[str]]:
    """The references and the document of each; without ``documents`` each line is a document of its own.

    Raises :class:`InputError`: no lines, another number of documents, or a document in several places.
    """
    from discourse_nmt.base.sources import Source

    lines = list(Source(str(references), None, references).lines())
    if not lines:
        raise InputError("no references", file=references)
    if documents is None:
        return lines, [str(number) for number in range(1, len(lines) + 1)]
    names = list(Source(str(documents), None, documents).lines())
    if len(names) != len(lines):
        raise InputError(
            f"{len(names):,} lines, but {references} has {len(lines):,}", file=documents, remedy="write one id a line"
        )
    seen: set[str] = set()
    for line, (before, name) in enumerate(zip([None, *names], names), start=1):
        if name != before and name in seen:
            raise InputError(
                f"document {name} goes on after another one", file=documents, line=line, remedy="put its lines together"
            )
        seen.add(name)
    return lines, names


def named(arguments: Sequence[str]) -> dict[str, str]:
    """The files of systems by their names; two systems of one name are an :class:`InputError`."""
    files: dict[str, str] = {}
    for argument in arguments:
        name, sign, file = argument.partition("=")
        if not sign or "/" in name:
            name, file = Path(argument).name.partition(".")[0].strip("*") or Path(argument).parent.name, argument
        if name in files:
            raise InputError(f"two systems are named {name}", remedy="name them: NAME=FILE")
        files[name] = file
    return files
