"""Have a test suite of discourse translated by any system, and judge what comes back, without training anything."""

import argparse
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import nearest
from discourse_nmt.commands.score import OUTPUTS, check_output, in_form, put_out
from discourse_nmt.commands.score import named as named_files

if TYPE_CHECKING:
    import pandas as pd

    from discourse_nmt.corpus.suites.importing import ImportedSuite
    from discourse_nmt.corpus.suites.plan import SuitePlan
    from discourse_nmt.scoring.metrics.score import Score

SUMMARY = "Have a test suite of discourse translated by any system, and judge what comes back."
EXAMPLES = """\
The suite stands in a configuration of the workflow under corpora.CORPUS.suites,
of which no other key but the languages is read, and run for a suite of splits;
CORPUS/NAME where two corpora have a NAME. Translations of its documents are
files as those of outside systems. Right: the translation has the right form and
no wrong one.

examples:
  discourse-nmt suite write contrapro --configfile suites.yaml --form wmt --output contrapro.jsonl
  discourse-nmt suite score contrapro gpt.txt engine.jsonl --configfile suites.yaml
  discourse-nmt suite score ctxpro deepl.txt --configfile suites.yaml --rule ctxpro
"""
FORMS = ("text", "jsonl", "wmt")
RULES = ("words", "ctxpro")


@dataclass(frozen=True)
class NamedSuite:
    """A suite of a configuration."""

    name: str
    corpus: str
    plan: "SuitePlan"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to do, the suite, the translations, the form of what is written."""
    add = parser.add_argument
    add("action", choices=["write", "score"], help="write the documents to translate, or score translations")
    add("name", metavar="NAME", help="the suite")
    add("hypotheses", nargs="*", metavar="[SYSTEM=]FILE", help="translations of a system; default: the file's name")
    add("--configfile", type=Path, required=True, metavar="FILE", help="configuration with the suite")
    add("--form", choices=FORMS, default="text", help="form of the documents: lines, JSON lines, JSON lines as WMT's")
    add("--rule", choices=RULES, default="words", help="how words are compared; ctxpro: as its own script does")
    add("--items", type=Path, metavar="FILE", help="table to write with the verdict on each item")
    add("--format", choices=OUTPUTS, default="markdown", help="form of the scores; tsv and json have all digits")
    add("--output", type=Path, metavar="FILE", help="file to write instead of standard output")


def run(arguments: argparse.Namespace) -> int:
    """Read the suite; print or write its documents, or the scores of the translations."""
    from discourse_nmt.corpus.suites.importing import import_suite
    from discourse_nmt.corpus.suites.texts import sources_of, texts_to_translate

    wanted = arguments.action == "score"
    if wanted != bool(arguments.hypotheses):
        remedy = "name the files of translations" if wanted else "suite write reads none"
        raise InputError(f"{len(arguments.hypotheses)} files of translations", remedy=remedy)
    for option, output in {"--output": arguments.output, "--items": arguments.items}.items():
        check_output(output, [arguments.configfile], arguments.hypotheses, option)
    named = suite_named(arguments.configfile, arguments.name)
    suite = import_suite(named.name, named.plan)
    if wanted:
        text = scored(suite, named, arguments)
    else:
        text = texts_to_translate(sources_of(suite), arguments.form, name=named.name, languages=named.plan.languages)
    put_out(text, arguments.output)
    return 0


def suite_named(file: Path, name: str) -> NamedSuite:
    """The suite ``name``, or ``corpus/name``, of a configuration; raises :class:`InputError` for a faulty one."""
    from discourse_nmt.corpus.data.settings import with_names
    from discourse_nmt.corpus.suites.plan import plan
    from discourse_nmt.workflow.configuration_files import read_configuration
    from discourse_nmt.workflow.resolving.data import FOLDER, VARIABLE
    from discourse_nmt.workflow.resolving.texts import moved
    from discourse_nmt.workflow.sections.files import sentences_pattern

    configuration = read_configuration(file)
    corpora = _section(configuration, "corpora")
    suites = [(corpus, suite) for corpus in corpora for suite in _section(corpora[corpus], "suites")]
    chosen = [(corpus, suite) for corpus, suite in suites if name in (suite, f"{corpus}/{suite}")]
    if not chosen:
        remedy = nearest(name, [suite for _, suite in suites]) if suites else None
        raise InputError(f"no suite {name} under corpora", file=file, remedy=remedy)
    if len(chosen) > 1:
        raise InputError(f"several suites {name}", file=file, remedy=f"name one of {', '.join(map('/'.join, chosen))}")
    [(corpus, suite)] = chosen
    section = corpora[corpus]
    languages = [section.get(f"{side}_language") for side in ("source", "target")]
    if not all(isinstance(language, str) for language in languages):
        raise InputError(f"corpora.{corpus} lacks source_language or target_language", file=file)
    values, folder = _section(section, "suites")[suite], os.environ.get(VARIABLE, "")
    if isinstance(values, dict) and isinstance(values.get("splits"), list):
        splits = [sentences_pattern(str(configuration.get("run")), corpus, str(split)) for split in values["splits"]]
        values = {**values, "splits": splits}
    if "data" in section:  # which gives the languages names in those of files
        codes = _section(section["data"], "names")
        names = {side: str(codes.get(code, code)) for side, code in zip(("source", "target"), languages)}
        values = with_names(values, names)
    try:
        planned = plan(moved(values, FOLDER, folder) if folder else values, (str(languages[0]), str(languages[1])))
    except InputError as error:
        raise InputError(f"corpora.{corpus}.suites.{suite}: {error}", file=file) from None
    return NamedSuite(suite, corpus, planned)


def _section(values: object, key: str) -> Mapping[str, Any]:
    """The mapping under a key, whose own keys may be numbers in YAML; empty where there is none."""
    section = values.get(key) if isinstance(values, Mapping) else None
    return {str(name): value for name, value in section.items()} if isinstance(section, Mapping) else {}


def scored(suite: "ImportedSuite", named: NamedSuite, arguments: argparse.Namespace) -> str:
    """The scores of each system's translations, in the wanted form; the verdicts are written where they are wanted."""
    import pandas as pd

    from discourse_nmt.scoring.external import ctxpro_script
    from discourse_nmt.scoring.metrics import generation
    from discourse_nmt.scoring.tables.forms import form_tables
    from discourse_nmt.scoring.tables.scores import score_table

    if arguments.rule == "ctxpro" and not named.plan.format.generated:
        raise InputError("--rule ctxpro is for suites with expected forms", remedy="leave it out")
    signature = ctxpro_script.SIGNATURE if arguments.rule == "ctxpro" else generation.SIGNATURE
    tables, verdicts = [], []
    for system, file in named_files(arguments.hypotheses).items():
        judged, counts = judged_output(suite, named, file, arguments.rule)
        scores = [*generation.generation_scores(judged, file=file, signature=signature), *counts]
        names = {"experiment": system, "system": "external", "test_set": named.name}
        tables.append(score_table(scores, corpus=named.corpus, seed=0, **names))
        items = judged[["item_id", "doc_id", "phenomenon", "distance"]]
        verdicts.append(items.assign(verdict=generation.verdicts(judged), system=system))
    if arguments.items:
        put_out(pd.concat(verdicts).to_csv(sep="\t", index=False, lineterminator="\n"), arguments.items)
    return in_form(pd.concat(tables, ignore_index=True), arguments.format, form_tables)


def judged_output(
    suite: "ImportedSuite", named: NamedSuite, file: str, rule: str
) -> "tuple[pd.DataFrame, list[Score]]":
    """The ``judged_translations`` table of one system's output, and what of the documents it leaves out and adds.

    A text for each document is aligned with the sentences; the rule of ctxpro reads it as it is.
    """
    from discourse_nmt.corpus.hypotheses import read_hypotheses
    from discourse_nmt.corpus.outputs import Output, read_output
    from discourse_nmt.corpus.suites.texts import sources_of
    from discourse_nmt.quality.languages import other_language
    from discourse_nmt.scoring.external import ctxpro_script
    from discourse_nmt.scoring.metrics.generation import judge_contrastive, judge_expected
    from discourse_nmt.scoring.metrics.translation import alignment_counts
    from discourse_nmt.sentence_alignment.output import align_outputs, alignment_table

    sources, target = sources_of(suite), named.plan.languages[1]
    lengths = {document: len(sentences) for document, sentences in sources.items()}
    whose = f"the suite {named.name}"
    if rule == "ctxpro":
        try:
            output = Output(read_hypotheses(file, dict.fromkeys(lengths, 1), whose))  # as the script: an item a line
        except InputError:
            output = read_output(file, lengths, whose)
        texts = output.texts or {document: " ".join(of_document) for document, of_document in output.sentences.items()}
        last = zip(suite.items["doc_id"], suite.items["sent_id"])
        outputs = table_of({(document, sentence): " ".join(texts[document].split()) for document, sentence in last})
        has = partial(ctxpro_script.has_form, language=target)
        return judge_expected(suite.items, outputs, file=file, has=has), []
    output = read_output(file, lengths, whose)
    right = {one.doc_id: one.target.sentences for one in suite.documents if one.doc_id in sources}
    generated = named.plan.format.generated  # the context of its items has no references
    found = {}
    if output.texts:
        references = None if generated else right
        found = align_outputs(sources, output.texts, references, lambda text: other_language([text], target))
    lines = output.sentences or {document: one.lines for document, one in found.items()}
    counts = alignment_counts(alignment_table(found))
    places = {(document, number): text for document, texts in lines.items() for number, text in enumerate(texts)}
    if generated:
        return judge_expected(suite.items, table_of(places), file=file), counts
    known = {place: right[place[0]][place[1]] for place in places}
    return judge_contrastive(suite.items, known, table_of(places), file=file), counts


def table_of(translations: Mapping[tuple[str, int], str]) -> "pd.DataFrame":
    """Translations by document and sentence, as those columns of a table ``translations`` that are judged."""
    import pandas as pd

    rows = [(document, sentence, 0, text) for (document, sentence), text in translations.items()]
    return pd.DataFrame(rows, columns=["doc_id", "sent_id", "rank", "hypothesis"])
