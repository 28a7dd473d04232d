"""Convert the figures of an analysis, from compare_analyses or evaluate-analysers, into a table of scores."""

from pathlib import Path

from discourse_nmt.base.storage.files import read_text, write_text
from discourse_nmt.scoring.tables.analyses import SYSTEMS, analysis_scores
from discourse_nmt.scoring.tables.scores import render, score_table
from discourse_nmt.workflow_scripts.command import arguments, run

NO_SEED = 0  # analyses have no seed, but the table needs a number


def main() -> None:
    """Read the figures, write them as scores."""
    parser = arguments(__doc__)
    add = parser.add_argument
    add("--figures", type=Path, required=True, help="table with the columns task, metric, value, setting")
    add("--corpus", required=True, help="corpus that was analysed, or parsers for treebanks")
    add("--analysis", required=True, help="name of the analysis, or the language of the analysers")
    add("--of", choices=SYSTEMS, required=True, help="kind of analysis")
    add("--test-set", required=True, help="split of the corpus, or name of the treebank")
    add("--against", required=True, help="name of the gold annotation")
    add("--output", required=True, help="score table to write (tab-separated)")
    options = parser.parse_args()
    scores = analysis_scores(read_text(options.figures), options.against, file=options.figures)
    names = {
        "corpus": options.corpus,
        "experiment": options.analysis,
        "system": options.of,
        "test_set": options.test_set,
    }
    write_text(render(score_table(scores, seed=NO_SEED, **names)), options.output)


if __name__ == "__main__":
    run(main)
