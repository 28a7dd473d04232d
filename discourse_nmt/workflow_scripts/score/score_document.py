"""Score the translations of one test set as documents: consistency, pronouns, address, BLEU by length and distance.

docs/reference/document-metrics.md explains how each number is computed.
"""

from discourse_nmt.base.storage.files import read_text
from discourse_nmt.base.storage.tables import read_table
from discourse_nmt.scoring.metrics.document_metrics import SourceAnnotation, document_scores
from discourse_nmt.word_alignment.model import Aligner
from discourse_nmt.workflow_scripts.command import arguments, run
from discourse_nmt.workflow_scripts.score.score_command import (
    add_names,
    add_test_set_arguments,
    read_pairs,
    read_shards,
    write_scores,
)


def main() -> None:
    """Read translations, references and the annotated source, write the scores."""
    parser = arguments(__doc__)
    parser.add_argument("--translations", required=True, help="translations table of the test set")
    parser.add_argument("--alignment", required=True, help="word_translations table of the corpus")
    parser.add_argument("--source-language", required=True, help="source language code")
    parser.add_argument("--syntax", nargs="*", default=[], help="syntax tables of the source side, where there are any")
    parser.add_argument("--coreference", nargs="*", default=[], help="the same of coreference")
    parser.add_argument("--stop-words", nargs="*", default=[], help="stop words of the source language, one a line")
    parser.add_argument("--seed", type=int, required=True, help="seed of the run")
    add_test_set_arguments(parser)
    add_names(parser)
    options = parser.parse_args()
    [pairs] = read_pairs([options.translations], options)
    source = SourceAnnotation(
        language=options.source_language,
        sentences=read_shards(options.sentences, "sentences"),
        tokens=read_shards(options.tokens, "tokens"),
        syntax=read_shards(options.syntax, "syntax") if options.syntax else None,
        mentions=read_shards(options.coreference, "coreference") if options.coreference else None,
        stop_words=frozenset(word for path in options.stop_words for word in read_text(path).split()) or None,
    )
    aligner = Aligner(read_table(options.alignment, "word_translations"))
    scores = document_scores(pairs, source, aligner, language=options.language, lowercase=options.lowercase)
    write_scores(scores, options.seed, options)


if __name__ == "__main__":
    run(main)
