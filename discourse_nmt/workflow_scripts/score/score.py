"""Score the translations of one test set: BLEU of three kinds, chrF2++, TER, accuracies of items.

BLEU and chrF2++ are also given without the sentences that stand in train.

Detokenised text is compared with the raw reference; only multi-bleu compares tokens. docs/reference/scores.md explains
how each number is computed.
"""

from pathlib import Path

from discourse_nmt.base.storage.files import read_json, write_text
from discourse_nmt.base.storage.tables import read_table
from discourse_nmt.scoring.external.sacrebleu_command import sacrebleu_command
from discourse_nmt.scoring.metrics.score import of_translations, with_normalised, with_tuned
from discourse_nmt.scoring.metrics.translation import (
    alignment_counts,
    answer_counts,
    new_sentence_scores,
    translation_scores,
)
from discourse_nmt.workflow_scripts.command import arguments, run
from discourse_nmt.workflow_scripts.score.score_command import (
    add_item_tables,
    add_names,
    add_normalised,
    add_test_set_arguments,
    item_scores,
    read_pairs,
    write_scores,
)


def main() -> None:
    """Read translations and references, write the scores."""
    parser = arguments(__doc__)
    parser.add_argument("--translations", required=True, help="translations table of the test set")
    parser.add_argument("--repeats", type=Path, help="repeats table of the test set: its sentences that stand in train")
    parser.add_argument("--alignment", nargs="*", default=[], help="output_alignment table, of a system from outside")
    parser.add_argument("--answers", nargs="*", default=[], help="language_model_answers table, of a language model")
    parser.add_argument("--seed", type=int, required=True, help="seed of the run")
    parser.add_argument("--texts", nargs=2, required=True, help="references and translations as text, for --command")
    parser.add_argument("--command", type=Path, required=True, help="file to write: sacrebleu's command for --texts")
    add_normalised(parser)
    parser.add_argument("--tuned", type=Path, help="values of decoding that tune_decoding chose")
    parser.add_argument(
        "--computed-by", nargs="*", default=[], help="engine and precision of the search, as signatures name them"
    )
    add_item_tables(parser)
    add_test_set_arguments(parser)
    add_names(parser)
    options = parser.parse_args()
    [pairs] = read_pairs([options.translations], options)
    scores = translation_scores(pairs, language=options.language, lowercase=options.lowercase)
    if options.repeats:
        repeats = read_table(options.repeats, "repeats")
        scores += new_sentence_scores(pairs, repeats, language=options.language, lowercase=options.lowercase)
    for path in options.alignment:
        scores += alignment_counts(read_table(path, "output_alignment"))
    for path in options.answers:
        scores += answer_counts(read_table(path, "language_model_answers"))
    scores += item_scores(options)
    for mark in options.computed_by:
        scores = of_translations(scores, mark)
    if options.tuned:
        scores = with_tuned(scores, read_json(options.tuned))
    command = sacrebleu_command(*options.texts, language=options.language, lowercase=options.lowercase)
    write_text(f"{command}\n", options.command)
    write_scores([with_normalised(score, options.normalised) for score in scores], options.seed, options)


if __name__ == "__main__":
    run(main)
