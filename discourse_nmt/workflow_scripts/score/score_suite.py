"""Score a test suite of discourse: accuracy of contrastive items, and of forms in translations.

docs/reference/contrastive-suites.md explains how each number is computed.
"""

from discourse_nmt.workflow_scripts.command import arguments, run
from discourse_nmt.workflow_scripts.score.score_command import add_item_tables, add_names, item_scores, write_scores


def main() -> None:
    """Read scores of items, judged translations, or both; write the scores."""
    parser = arguments(__doc__)
    parser.add_argument("--seed", type=int, required=True, help="seed of the run")
    add_item_tables(parser)
    add_names(parser)
    options = parser.parse_args()
    write_scores(item_scores(options), options.seed, options)


if __name__ == "__main__":
    run(main)
