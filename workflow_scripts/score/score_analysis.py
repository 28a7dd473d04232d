"""Put the figures of an analysis, as compare_analyses and evaluate_analysers write them, into a table of scores."""

from pathlib import Path

from discourse_nmt.corpus.storage.files import read_text, write_text
from discourse_nmt.scoring.tables.analyses import SYSTEMS, analysis_scores
from discourse_nmt.scoring.tables.scores import render, score_table
from discourse_nmt.workflow_scripts.command import arguments, run

NO_SEED = 0  # analyses have none; the table wants a number


def main() -> None:
    """Read the figures, write them as scores."""
    parser = arguments(__doc__)
    add = parser.add_argument
    add("--figures", type=Path, required=True, help="table with the columns task, metric, value, setting")
    add("--corpus", required=True, help="corpus that was analysed, or parsers for treebanks")
    add("--analysis", required=True, help="name of the analysis, or the language of the analysers")
    add("--of", choices=SYSTEMS, required=True, help="what was scored")
    add("--test-set", required=True, help="split of the corpus, or name of the treebank")
    add("--against", required=True, help="name of the annotation that the figures are measured by")
    add("--output", required=True, help="score table to write (tab-separated)")
    given = parser.parse_args()
    scores = analysis_scores(read_text(given.figures), given.against, file=given.figures)
    names = {"corpus": given.corpus, "experiment": given.analysis, "system": given.of, "test_set": given.test_set}
    write_text(render(score_table(scores, seed=NO_SEED, **names)), given.output)


if __name__ == "__main__":
    run(main)
