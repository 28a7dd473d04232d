"""Compare the translations of one test set with those of a baseline: differences of scores, and tests of them.

All measures of sacrebleu are compared and, where the corpus tells speakers or scenes, the consistency of address.
Files and seeds come in pairs: the first of the system with the first of the baseline, and so on. One pair is tested by
paired bootstrap and approximate randomisation over sentences and over documents; of several pairs the mean over seeds
is tested over documents and seeds, or over documents alone.
docs/how-to/significance.md explains how each number is computed.
"""

import logging

from discourse_nmt.scoring.comparison.comparison import Comparison, Resampling, translation_tests
from discourse_nmt.scoring.comparison.consistency import consistency_tests
from discourse_nmt.scoring.comparison.settings import SignificanceSettings
from discourse_nmt.workflow_scripts.command import arguments, run
from discourse_nmt.workflow_scripts.score.score_command import (
    add_names,
    add_seeds,
    add_test_set_arguments,
    compared_seeds,
    read_pairs,
    read_shards,
    write_scores,
)


def main() -> None:
    """Read translations of both and the references, write differences and p-values."""
    parser = arguments(__doc__)
    add, significance = parser.add_argument, SignificanceSettings()
    add("--translations", nargs="+", required=True, help="translations tables of the test set, one for each seed")
    add("--baseline-translations", nargs="+", required=True, help="translations tables of the baseline, as many")
    add_seeds(parser)
    add("--source-language", required=True, help="source language code")
    add_test_set_arguments(parser)
    add("--samples", type=int, default=significance.samples, help="samples of the paired bootstrap")
    add("--trials", type=int, default=significance.trials, help="trials of approximate randomisation")
    add("--random-seed", type=int, default=significance.seed, help="seed of the draws")
    add_names(parser)
    options = parser.parse_args()
    logging.getLogger("sacrebleu").setLevel(logging.WARNING)  # it logs each test twice
    seeds = compared_seeds(options.translations, options.baseline_translations, options)
    sides = read_pairs(options.translations, options), read_pairs(options.baseline_translations, options)
    comparison = Comparison(options.baseline, seeds, options.groups, trainings=options.trainings)
    resampling = Resampling(options.samples, options.trials, options.random_seed)
    scores = translation_tests(*sides, comparison, resampling, language=options.language, lowercase=options.lowercase)
    sentences, languages = read_shards(options.sentences, "sentences"), (options.source_language, options.language)
    scores += consistency_tests(*sides, sentences, languages, comparison, resampling)
    write_scores(scores, options.seeds[0], options)


if __name__ == "__main__":
    run(main)
