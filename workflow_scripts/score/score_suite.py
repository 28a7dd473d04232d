"""Score a test suite of discourse: accuracy of contrastive items, or of expected forms of translations.

docs/reference/contrastive-suites.md explains how each number is computed.
"""

from pathlib import Path

from discourse_nmt.corpus.storage.tables import read_table
from discourse_nmt.scoring.metrics.contrastive import contrastive_scores
from discourse_nmt.scoring.metrics.generation import generation_scores
from discourse_nmt.workflow_scripts.command import arguments, run
from discourse_nmt.workflow_scripts.score.score_command import add_names, write_scores


def main() -> None:
    """Read scores of items, or expected forms and translations; write the scores."""
    parser = arguments(__doc__)
    inputs = parser.add_mutually_exclusive_group(required=True)
    inputs.add_argument("--contrastive", type=Path, help="contrastive_scores table of the suite")
    inputs.add_argument(
        "--expected",
        nargs=2,
        type=Path,
        metavar=("FORMS", "TRANSLATIONS"),
        help="its expected_forms and its translations table",
    )
    parser.add_argument("--seed", type=int, required=True, help="seed of the run")
    add_names(parser)
    options = parser.parse_args()
    if options.contrastive:
        scores = contrastive_scores(read_table(options.contrastive, "contrastive_scores"), file=options.contrastive)
    else:
        forms, translations = options.expected
        scores = generation_scores(
            read_table(forms, "expected_forms"), read_table(translations, "translations"), file=translations
        )
    write_scores(scores, options.seed, options)


if __name__ == "__main__":
    run(main)
