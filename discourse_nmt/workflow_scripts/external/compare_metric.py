"""Compare the scores by a metric that the user runs with those of a baseline: difference and p-value over documents.

Files and seeds come in pairs: the first of the system with the first of the baseline, and so on.
docs/how-to/significance.md explains how each number is computed.
"""

from discourse_nmt.base.settings import parse_settings
from discourse_nmt.base.storage.tables import read_table
from discourse_nmt.scoring.comparison.comparison import Comparison
from discourse_nmt.scoring.comparison.settings import SignificanceSettings
from discourse_nmt.scoring.external.command_metrics import metric_tests
from discourse_nmt.scoring.external.settings import MetricTextSettings
from discourse_nmt.scoring.metrics.score import command_signature
from discourse_nmt.workflow_scripts.command import JsonObject, arguments, run
from discourse_nmt.workflow_scripts.score.score_command import add_names, add_seeds, compared_seeds, write_scores


def main() -> None:
    """Read the scores of both, write difference and p-value."""
    parser = arguments(__doc__)
    add, significance = parser.add_argument, SignificanceSettings()
    add("--metric", required=True, help="name of the metric")
    add("--better", choices=["higher", "lower"], required=True, help="which scores are better")
    add("--texts", action=JsonObject, default={}, help="section texts of the metric, as JSON, for the signature")
    add("--scores", nargs="+", required=True, help="metric_scores tables, one for each seed")
    add("--baseline-scores", nargs="+", required=True, help="metric_scores tables of the baseline, as many")
    add_seeds(parser)
    add("--trials", type=int, default=significance.trials, help="trials of approximate randomisation")
    add("--random-seed", type=int, default=significance.seed, help="seed of the draws")
    add_names(parser)
    add("command", nargs="+", metavar="WORD", help="after --: the program and its arguments, for the signature")
    options = parser.parse_args()
    texts = parse_settings(MetricTextSettings, options.texts, "texts")
    seeds = compared_seeds(options.scores, options.baseline_scores, options)
    own, other = (
        [read_table(path, "metric_scores") for path in paths] for paths in (options.scores, options.baseline_scores)
    )
    scores = metric_tests(
        own,
        other,
        Comparison(options.baseline, seeds, options.groups, trainings=options.trainings),
        options.metric,
        command_signature(options.command, options.better) + texts.signature,
        options.better,
        trials=options.trials,
        seed=options.random_seed,
    )
    write_scores(scores, options.seeds[0], options)


if __name__ == "__main__":
    run(main)
