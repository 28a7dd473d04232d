"""Translate texts with a trained model: a model folder of the workflow's target ``models``."""

import argparse
import json
import logging
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from discourse_nmt.base.errors import InputError
from discourse_nmt.translation.formats.endings import FORMATS, format_of

if TYPE_CHECKING:
    from discourse_nmt.translation.formatted_documents import FormattedDocument
    from discourse_nmt.translation.texts import Layout, SourceDocument

SUMMARY = "Translate texts with a trained model."
EXAMPLES = """\
A file is one document. Plain text: sentences are found, and lines, paragraphs
and empty lines are kept. Markdown (.md), HTML (.html), subtitles (.srt), gettext
(.po) and XLIFF 1.2 and 2 (.xlf) come out in their format: tags, code, links,
addresses, placeholders, times and comments as they went in, inline markup around
the words that render those it was around. Of HTML, alt and title are translated,
too; lang stays. Subtitles: a sentence over several cues is translated as one and
cut again. Catalogues: only messages without a translation get one; filled and
fuzzy ones stay. Without a file, the standard input is translated.

examples:
  discourse-nmt translate --model results/demo/demo/experiments/mix/seed1/model letter.txt
  discourse-nmt translate --model MODEL --lines --output out.de < in.en
  discourse-nmt translate --model MODEL --output translated chapters/*.txt
  discourse-nmt translate --model MODEL --output LIESMICH.md README.md
  discourse-nmt translate --model MODEL --output film.de.srt film.srt
  discourse-nmt translate --model MODEL --output de.po en.pot
  discourse-nmt translate --model MODEL --format html < page > page.de
  discourse-nmt translate --model MODEL --json --n-best 3 letter.txt > letter.jsonl
"""
DECODING = ("beam", "n_best", "batch_tokens", "length_penalty", "engine", "precision", "shortlist")
"""Settings of decoding that are options."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Model, texts, their layout, output, settings of decoding."""
    add = parser.add_argument
    add(
        "files",
        nargs="*",
        type=Path,
        metavar="FILE",
        help="texts, one document each; none: standard input",
    )
    add("--model", type=Path, required=True, metavar="DIR", help="model folder, made by: snakemake models")
    layout = parser.add_mutually_exclusive_group()
    layout.add_argument("--lines", action="store_true", help="each line, with markup of a block, is a sentence")
    layout.add_argument("--marked", action="store_true", help="the same, and a line <d> begins a document")
    add(
        "--format",
        choices=["text", *FORMATS],
        help="format of all texts (default: by the ending of each, else text)",
    )
    add(
        "--output",
        type=Path,
        metavar="PATH",
        help="file to write, PATH.part until it is whole; for several texts a folder",
    )
    add("--json", action="store_true", help="write a JSON object for each sentence: source, translation, score, others")
    add("--n-best", type=int, metavar="N", help="translations of each sentence, at most the beam; needs --json")
    add("--beam", type=int, metavar="N", help="beam size (default: the model's)")
    add("--length-penalty", type=float, metavar="ALPHA", help="exponent of the length penalty (default: the model's)")
    add("--batch-tokens", type=int, metavar="N", help="source subwords translated at a time (default: the model's)")
    add(
        "--engine",
        choices=["own", "ctranslate2"],
        help="ctranslate2 is faster for short texts (default: the model's)",
    )
    add("--precision", choices=["fp32", "int8"], help="int8 is faster on CPUs (default: the model's)")
    add(
        "--shortlist",
        type=int,
        metavar="N",
        help="target subwords of each source subword; 0: all (default: the model's)",
    )
    add("--no-trees", action="store_true", help="translate without discourse trees, for systems that were trained so")
    add("--threads", type=int, default=1, metavar="N", help="CPU threads")
    add("--device", choices=["auto", "cpu", "cuda"], default="auto", help="auto: cuda if there is one")


def run(arguments: argparse.Namespace) -> int:
    """Read and check all texts, translate, write each document as soon as it is translated."""
    _check(arguments)
    logging.getLogger().setLevel(logging.WARNING)

    import torch

    from discourse_nmt.base.progress import counted, quiet
    from discourse_nmt.quality.languages import other_language
    from discourse_nmt.translation.inputs import read_inputs
    from discourse_nmt.translation.translator import Translator

    torch.set_num_threads(arguments.threads)
    formats = partial(_format, arguments)
    texts = read_inputs(arguments.files, sys.stdin.buffer, formats)
    decoding = {name: value for name in DECODING if (value := getattr(arguments, name)) is not None}
    if arguments.no_trees:
        decoding["use_tree"] = False
    translator = Translator(arguments.model, device=arguments.device, **decoding)
    layout: Layout = "lines" if arguments.lines else "marked" if arguments.marked else "paragraphs"
    inputs: dict[str, list[SourceDocument]] = {}
    formatted: dict[str, FormattedDocument] = {}
    for name, (text, _) in texts.items():
        if chosen := formats(name):
            formatted[name] = translator.formatted(text, name, chosen, layout)
            inputs[name] = [formatted[name].document]
        else:
            inputs[name] = translator.documents(text, name, layout)
        sentences = [sentence for document in inputs[name] for sentence in document.sentences]
        if not sentences:
            logging.warning("%s: no text", name)
        if found := other_language(sentences, translator.languages[0]):
            logging.warning("%s: this looks like %s, the model reads %s", name, found, translator.languages[0])
    total = sum(len(document.sentences) for documents in inputs.values() for document in documents)
    # On a terminal the first line would be printed into the live one, and the live one over a last line without an end.
    shown = arguments.output is None and sys.stdout.isatty()
    with quiet() if shown else nullcontext(), counted("translate", "sentences", total) as progress:
        translations = translator.translate_documents(chain.from_iterable(inputs.values()), progress)
        for name, documents in inputs.items():
            with _output(arguments, name) as file:
                for translation in (next(translations) for _ in documents):
                    if arguments.json:
                        _write_lines(translation.records(), file)
                    elif name in formatted:
                        file.write(translator.translated_file(formatted[name], translation))
                    else:
                        file.write(translation.text.replace("\n", texts[name].line_end))
                    file.flush()
    return 0


def _check(arguments: argparse.Namespace) -> None:
    """Raise :class:`InputError` for options that do not go together, before anything is loaded."""
    if arguments.threads < 1:
        raise InputError(f"--threads is {arguments.threads}", remedy="it must be at least 1")
    if arguments.n_best is not None and not arguments.json:
        raise InputError("--n-best without --json", remedy="add --json; plain text has one translation")
    files, output = arguments.files, arguments.output
    if arguments.marked and (found := next(filter(partial(_format, arguments), map(str, files or ["-"])), None)):
        raise InputError("--marked is for plain text", file=found, remedy="leave it out, or add --format text")
    if len(files) > 1 and output is None and not arguments.json:
        raise InputError("several files", remedy="give --output FOLDER, or --json for one stream")
    names = [path.name for path in files]
    if output is not None and (repeated := sorted({name for name in names if names.count(name) > 1})):
        raise InputError(f"two files are named {repeated[0]}", remedy="rename one, or translate them one by one")
    taken = {path.resolve().parent if len(files) > 1 else path.resolve() for path in files}
    if output is not None and {output.resolve(), _unfinished(output).resolve()} & taken:
        raise InputError("the texts would be overwritten", file=output, remedy="give another --output")


def _format(arguments: argparse.Namespace, name: str) -> str | None:
    """The format of a text; None for plain text."""
    if arguments.format is None:
        return format_of(name)
    return None if arguments.format == "text" else str(arguments.format)


@contextmanager
def _output(arguments: argparse.Namespace, name: str) -> Iterator[TextIO]:
    """The file that the translation of the text ``name`` is written to.

    It is PATH.part until it is whole, so that a translation that is stopped loses neither itself nor an older one.
    """
    if arguments.output is None:
        yield sys.stdout
        return
    path: Path = arguments.output
    if len(arguments.files) > 1:
        path = path / f"{Path(name).name}{'.jsonl' if arguments.json else ''}"
    path.parent.mkdir(parents=True, exist_ok=True)
    in_place = path.is_symlink() or (
        path.exists() and not path.is_file()
    )  # links, pipes and devices stay what they are
    unfinished = path if in_place else _unfinished(path)
    with unfinished.open("w", encoding="utf-8", newline="") as file:
        yield file
    if not in_place:
        unfinished.replace(path)


def _unfinished(path: Path) -> Path:
    """The file that becomes ``path`` when it is whole."""
    return path.with_name(f"{path.name}.part")


def _write_lines(records: Iterator[Mapping[str, object]], file: TextIO) -> None:
    for record in records:
        file.write(json.dumps(record, ensure_ascii=False) + "\n")
