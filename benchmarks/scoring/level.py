"""Level and power of the tests of several seeds, by simulation, where trainings differ by chance.

An experiment draws the gain of each seed in each of the documents, in points of BLEU: the effect, the chance of the
training (--trainings, standard deviation of a difference of two trainings), that of the document and that of the
document in this training (--documents and --rest, standard deviations of the mean over documents). Prints one row of a
table in Markdown for each number of seeds, standard deviation and effect: the share of experiments with p ≤ 0.05 by
randomisation over documents, which takes the trainings as they are, and by the mixed model over documents and seeds.

    python -m benchmarks.scoring.level
"""

import numpy as np

from discourse_nmt.scoring.comparison.marks import LEVEL
from discourse_nmt.scoring.comparison.significance import MeanScore, approximate_randomisation, mixed_model
from discourse_nmt.workflow_scripts.command import arguments, run

HEAD = """| seeds | s.d. of trainings | effect | randomisation, documents | mixed model, documents and seeds |
| ---: | ---: | ---: | ---: | ---: |"""
TRIALS = 99


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--seeds", nargs="+", type=int, default=[2, 3, 5, 10], help="numbers of seeds")
    parser.add_argument("--trainings", nargs="+", type=float, default=[0, 0.15, 0.3, 0.5], help="in points of BLEU")
    parser.add_argument("--effects", nargs="+", type=float, default=[0, 0.5, 1], help="in points of BLEU")
    parser.add_argument("--documents", type=float, default=0.15, help="in points of BLEU")
    parser.add_argument("--rest", type=float, default=0.25, help="in points of BLEU")
    parser.add_argument("--number", type=int, default=100, help="documents of the test set")
    parser.add_argument("--experiments", type=int, default=1000, help="experiments of each row")
    options = parser.parse_args()
    number, metric = options.number, MeanScore()
    of_documents, rest = options.documents * number**0.5, options.rest * number**0.5
    print(HEAD)
    for seeds in options.seeds:
        for of_trainings in options.trainings:
            for effect in options.effects:
                chance = np.random.default_rng(1)
                found = np.zeros(2)
                for experiment in range(options.experiments):
                    gained = effect + chance.normal(0, of_trainings, (seeds, 1))
                    gained = gained + chance.normal(0, of_documents, number) + chance.normal(0, rest, (seeds, number))
                    own = [np.stack([row, np.ones(number)], axis=1) for row in gained]
                    other = [np.stack([np.zeros(number), np.ones(number)], axis=1)] * seeds
                    p_values = (
                        approximate_randomisation(metric, own, other, TRIALS, experiment),
                        mixed_model(metric, own, other),
                    )
                    found += np.array(p_values) <= LEVEL
                shares = " | ".join(f"{100 * share:.1f} %" for share in found / options.experiments)
                print(f"| {seeds} | {of_trainings:g} | {effect:g} | {shares} |", flush=True)


if __name__ == "__main__":
    run(main)
