"""Write a configuration of the workflow for a corpus."""

import argparse
import math
import re
import shlex
from dataclasses import replace
from pathlib import Path

from discourse_nmt import ROOT
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import NAME, another_name, legal_name

SUMMARY = "Write a commented configuration for a corpus: format, languages, sizes, estimate of time."
EXAMPLES = """\
The corpus is read once; a fault in it is told with file and line. Training steps
and the analysis of its first sentences are timed on this machine for the
estimate. Give a file with both sides (TSV, CSV, JSONL, JSON of dialogues,
gettext, XML test set), a source and a target file, or these and a third with
document ids. Files may be compressed or in archives; quote wildcards.

examples:
  discourse-nmt new talks.tsv
  discourse-nmt new talks.en.gz talks.de.gz --output talks.yaml --hours 2
  discourse-nmt new 'episodes/*.zh' 'episodes/*.en' --source-language zh --target-language en
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The files, and what shall not be found out from them."""
    add = parser.add_argument
    add("files", nargs="+", metavar="FILE", help="the corpus: one to three files, see below")
    add(
        "--source-language",
        metavar="CODE",
        help="two-letter code; default: from names of files or columns, or the text",
    )
    add("--target-language", metavar="CODE", help="the same for the target side")
    add("--name", metavar="NAME", help="name of the run; default: that of the first file")
    add("--output", type=Path, metavar="FILE", help="configuration to write; default: NAME.yaml")
    add("--hours", type=float, default=8.0, metavar="HOURS", help="most hours of training; updates are limited to fit")


def run(arguments: argparse.Namespace) -> int:
    """Look, choose, measure, write."""
    if len(arguments.files) > 3:
        raise InputError(f"{len(arguments.files)} files", remedy="give one to three; quote wildcards")
    if not 0 < arguments.hours < math.inf:
        raise InputError(f"--hours is {arguments.hours}", remedy="give a number above 0")
    given = (arguments.source_language, arguments.target_language)
    check_languages(given)
    name = run_name(arguments.name, arguments.files[0])
    output: Path = arguments.output or Path(f"{name}.yaml")
    if output.exists():
        raise InputError("is there already", file=output, remedy="give another --output, or remove it")

    from discourse_nmt.base.storage.files import write_text
    from discourse_nmt.new_configuration.facts import facts_of, first_sentences, quality
    from discourse_nmt.new_configuration.languages import are_exchanged, languages_of, named_languages
    from discourse_nmt.new_configuration.machine import measured_analysis, measured_network, this_machine
    from discourse_nmt.new_configuration.page import checked, configuration, estimate
    from discourse_nmt.new_configuration.recognition import recognise, turned
    from discourse_nmt.new_configuration.sizes import limited, significance, sizes_for

    recognised = turned(recognise(arguments.files), given)
    told = recognised.languages or named_languages([Path(file).name for file in arguments.files])
    if len(arguments.files) > 1 and told and are_exchanged(given, told):
        message = f"by their names the source file is in {told[0]}, the target file in {told[1]}"
        raise InputError(message, remedy="exchange the files, or the given languages")
    sides = ([], []) if all(given) or told else first_sentences(recognised)
    languages = languages_of(given, told, sides)
    facts = facts_of(recognised, languages)
    machine = this_machine()
    sizes = sizes_for(facts, machine, languages[0])
    notes = [
        f"{facts.pairs:,} sentence pairs in {facts.documents:,} documents, {languages[0]} to {languages[1]}, "
        f"{facts.source_words:,} and {facts.target_words:,} words.",
        *quality(facts, languages),
        *significance(sizes, facts),
    ]
    print("\n".join(notes), flush=True)  # at once: who reads of a fault need not wait for the timing
    alone = measured_network(sizes.model, sizes.vocabulary, sizes.batch_tokens // sizes.processes, sizes.threads)
    network = replace(alone, rate=sizes.processes * alone.rate)
    sizes = limited(sizes, network.rate, arguments.hours * 3600)
    trees = "rst_transformer" in sizes.systems
    analysis_rate = measured_analysis(facts.sentences("source"), languages[0]) if trees else 0.0
    costs = estimate(facts, machine, sizes, network, analysis_rate)
    if sizes.training_seconds(network.rate) > 1.1 * arguments.hours * 3600:
        costs.append(
            f"This is more than --hours {arguments.hours:g}: {sizes.updates} updates are the fewest that teach."
        )
    elif sizes.training_seconds(network.rate) < 0.9 * arguments.hours * 3600:
        costs.append(f"--hours {arguments.hours:g} allows more: {sizes.updates} updates are enough for this corpus.")
    text = configuration(name, recognised, languages, facts, sizes, [*notes, *costs])
    checked(text, output)
    write_text(text, output, sealed=False)  # to be edited
    print("\n".join(costs))
    workflow = "" if Path("Snakefile").is_file() else f" --snakefile {shlex.quote(str(ROOT / 'Snakefile'))}"
    print(f"Written: {output}. Read it, then:")
    print(f"  snakemake{workflow} --cores {machine.cores} --configfile {shlex.quote(str(output))} -- score report")
    return 0


def check_languages(given: tuple[str | None, str | None]) -> None:
    """Raise :class:`InputError` for a given language of a side that is none, and for one of both sides."""
    from discourse_nmt.base.languages import check_language

    for side, language in zip(("source", "target"), given):
        if language is not None:
            check_language(language, f"--{side}-language")
    if given[0] is not None and given[0] == given[1]:
        raise InputError(f"both sides are {given[0]}", remedy="give two languages")


def run_name(given: str | None, file: str) -> str:
    """The ``given`` name of run and corpus, or else one like that of the first ``file``.

    Raises :class:`InputError` for a given one that the workflow would refuse.
    """
    from discourse_nmt.workflow.checks.corpora import FOLDERS

    if given is None:
        name = legal_name(re.split(r"[.:*?]", Path(file).name)[0]) or "corpus"
        return f"{name}_corpus" if name in FOLDERS else name
    if not NAME.fullmatch(given):
        raise InputError(f"--name is {given!r}", remedy=another_name(given))
    if given in FOLDERS:
        raise InputError(f"--name is {given}, a folder of every run", remedy="give another name")
    return given
