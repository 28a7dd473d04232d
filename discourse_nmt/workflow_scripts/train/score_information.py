"""CXMI of a run on one test set: what its system takes from context and trees, by its forced scores of the references.

docs/reference/document-metrics.md explains it. Translations play no part in it.
"""

from discourse_nmt.base.storage.tables import read_table
from discourse_nmt.scoring.comparison.cxmi import cxmi_scores
from discourse_nmt.scoring.metrics.score import with_normalised
from discourse_nmt.workflow_scripts.command import arguments, run
from discourse_nmt.workflow_scripts.score.score_command import add_names, add_normalised, write_scores


def main() -> None:
    """Read the scores of references, write CXMI beside each control."""
    parser = arguments(__doc__)
    parser.add_argument("--reference-scores", required=True, help="reference_scores table of the test set")
    parser.add_argument("--groups", default="", help="regular expression of the group in a document's id")
    parser.add_argument("--seed", type=int, required=True, help="seed of the run")
    add_normalised(parser)
    add_names(parser)
    options = parser.parse_args()
    scores = cxmi_scores(read_table(options.reference_scores, "reference_scores"), options.groups)
    write_scores([with_normalised(score, options.normalised) for score in scores], options.seed, options)


if __name__ == "__main__":
    run(main)
