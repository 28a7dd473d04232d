"""Score the translations of a test set by a program of the user, which is run once.

{source}, {hypotheses}, {references} and {documents} in its arguments stand for text files with a line for each sentence
or chunk; {source_language} and {target_language} for codes; {experiment} and {seed} for the run.
docs/how-to/other-systems.md shows the output.
"""

import logging
import tempfile
from pathlib import Path

from discourse_nmt.base.programs import filled, run_program
from discourse_nmt.base.settings import parse_settings
from discourse_nmt.base.storage.files import write_text
from discourse_nmt.base.storage.tables import write_table
from discourse_nmt.corpus.test_sets import read_in_order, translations_of
from discourse_nmt.scoring.alignment.references import check_references
from discourse_nmt.scoring.external.command_metrics import parse_output, system_scores
from discourse_nmt.scoring.external.settings import MetricTextSettings
from discourse_nmt.scoring.external.texts import SIDES, lines_of, too_long
from discourse_nmt.scoring.metrics.score import Score, command_signature
from discourse_nmt.workflow_scripts.command import JsonObject, arguments, run
from discourse_nmt.workflow_scripts.score.score_command import add_names, write_scores

log = logging.getLogger(__name__)


def main() -> None:
    """Write the text files, run the program, write its scores."""
    parser = arguments(__doc__)
    add = parser.add_argument
    add("--metric", required=True, help="name of the metric")
    add("--better", choices=["higher", "lower"], required=True, help="which scores are better")
    add("--time-limit", type=float, help="largest duration in seconds; without it there is none")
    add("--texts", action=JsonObject, default={}, help="section texts of the metric, as JSON")
    add("--translations", required=True, help="translations table of the test set")
    add("--sentences", nargs="+", required=True, help="sentences tables of the test set, every shard")
    add("--documents", required=True, help="documents table of the test set")
    add("--source-language", required=True, help="source language code")
    add("--target-language", required=True, help="target language code")
    add("--seed", type=int, required=True, help="seed of the run")
    add("--scores", required=True, help="metric_scores table to write (Parquet)")
    add_names(parser)
    add("command", nargs="+", metavar="WORD", help="after --: the program and its arguments")
    options = parser.parse_args()

    sentences = read_in_order(options.sentences, options.documents)
    check_references(sentences)
    settings = parse_settings(MetricTextSettings, options.texts, "texts")
    translations = translations_of(sentences, options.translations)
    sentences = sentences.assign(hypotheses=translations, references=sentences["target"])
    lines = lines_of(sentences, settings)
    texts = {name: lines[name].tolist() for name in SIDES} | {"documents": lines["doc_id"].tolist()}
    counted = []
    if settings.reads is not None:
        given = [texts[name] for name in SIDES if f"{{{name}}}" in " ".join(options.command)]
        number = too_long(given, settings)
        if number:
            log.warning(f"{options.metric} reads {settings.reads} subwords: {number:,} texts are longer")
        signature = f"count|reads:{settings.reads}{settings.signature}"
        counted.append(Score(f"texts longer than {options.metric} reads", number, signature))
    names = {"source_language": options.source_language, "target_language": options.target_language}
    names |= {"experiment": options.experiment, "seed": str(options.seed)}
    with tempfile.TemporaryDirectory(prefix="metric-") as folder:
        files = {name: str(Path(folder) / f"{name}.txt") for name in texts}
        for name, content in texts.items():
            write_text("".join(f"{line}\n" for line in content), files[name])
        command = [filled(word, files | names) for word in options.command]
        printed = run_program(command, options.time_limit, advice=f"raise metrics.{options.metric}.time_limit")
    scores = parse_output(printed, lines, options.command[0])
    signature = command_signature(options.command, options.better) + settings.signature
    of_system = system_scores(scores, options.metric, signature, options.better)
    write_table(scores, options.scores, "metric_scores")
    write_scores([*of_system, *counted], options.seed, options)


if __name__ == "__main__":
    run(main)
