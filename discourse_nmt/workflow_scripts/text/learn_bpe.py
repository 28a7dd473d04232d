"""Learn subwords and vocabularies of both sides, BPE or SentencePiece, from the tokens of the training split.

With subwords of a pretrained model, adopt these instead.
"""

from itertools import chain

from discourse_nmt.base.progress import progress
from discourse_nmt.base.storage.files import write_json
from discourse_nmt.base.storage.shard_files import read_some, row_groups
from discourse_nmt.text.learning import learn_segmentations
from discourse_nmt.text.pretrained import adopt, learn_pieces
from discourse_nmt.text.settings import SIDES, TextSettings
from discourse_nmt.text.spelling import spelling
from discourse_nmt.text.stages import count_words, lines_of, tokens_of
from discourse_nmt.text.truecasing import caser, load_casing
from discourse_nmt.workflow_scripts.command import JsonObject, arguments, run


def main() -> None:
    """Read tokens tables and truecasing models, write a BPE model and a vocabulary for each side."""
    parser = arguments(__doc__)
    parser.add_argument(
        "--tokens", required=True, nargs="+", metavar="FILE", help="tokens tables of the training split"
    )
    parser.add_argument(
        "--pairs", type=int, default=5_000_000, help="about the largest number of sentence pairs to learn from"
    )
    parser.add_argument("--settings", action=JsonObject, required=True, help="section text with languages, as JSON")
    for side in SIDES:
        parser.add_argument(f"--{side}-truecaser", required=True, metavar="FILE", help=f"{side} truecasing model")
        parser.add_argument(
            f"--{side}-codes", required=True, metavar="FILE", help=f"{side} subword model (JSON) to write"
        )
        parser.add_argument(
            f"--{side}-vocabulary", required=True, metavar="FILE", help=f"{side} vocabulary (JSON) to write"
        )
    options = vars(parser.parse_args())

    settings = TextSettings.from_mapping(options["settings"])
    columns = ["doc_id", "side", "tokens", "starts", "ends", "gaps"]
    rows = len(SIDES) * options["pairs"]
    tables = progress(
        read_some(options["tokens"], "tokens", rows, columns),
        "count words",
        "shards",
        total=sum(map(row_groups, options["tokens"])),
    )
    casings = {side: load_casing(options[f"{side}_truecaser"]) for side in SIDES}
    if settings.source.subwords == "bpe":
        counts = count_words(tables, {side: spelling(settings.of(side), casings[side]) for side in SIDES})
        for side, (model, vocabulary) in learn_segmentations(counts, settings).items():
            model.save(options[f"{side}_codes"])
            vocabulary.save(options[f"{side}_vocabulary"])
    else:
        sentences = chain.from_iterable(map(tokens_of, tables))
        if settings.source.learns_pieces:
            casers = {side: caser(settings.of(side), casings[side]) for side in SIDES}
            models = learn_pieces(lines_of(sentences, casers), settings)
        else:
            models = adopt(sentences, settings)
        for side, (subwords, vocabulary) in models.items():
            write_json(subwords.to_json(), options[f"{side}_codes"])
            vocabulary.save(options[f"{side}_vocabulary"])


if __name__ == "__main__":
    run(main)
