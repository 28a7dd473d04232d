"""Learn BPE models and vocabularies of both sides from the tokens of the training split."""

from corpus.progress import progress
from corpus.tables import read_table
from text.learning import learn_segmentations
from text.settings import SIDES, TextSettings
from text.stages import count_words
from text.truecasing import caser, load_casing
from workflow_scripts.command import JsonObject, arguments, run


def main() -> None:
    """Read tokens tables and truecasing models, write a BPE model and a vocabulary for each side."""
    parser = arguments(__doc__)
    parser.add_argument(
        "--tokens", required=True, nargs="+", metavar="FILE", help="tokens tables of the training split"
    )
    parser.add_argument("--settings", action=JsonObject, required=True, help="section text with languages, as JSON")
    for side in SIDES:
        parser.add_argument(f"--{side}-truecaser", required=True, metavar="FILE", help=f"{side} truecasing model")
        parser.add_argument(f"--{side}-codes", required=True, metavar="FILE", help=f"{side} BPE codes (JSON) to write")
        parser.add_argument(
            f"--{side}-vocabulary", required=True, metavar="FILE", help=f"{side} vocabulary (JSON) to write"
        )
    given = vars(parser.parse_args())

    settings = TextSettings.from_mapping(given["settings"])
    casers = {side: caser(settings.of(side), load_casing(given[f"{side}_truecaser"])) for side in SIDES}
    columns = ["side", "tokens"]
    tables = (read_table(path, "tokens", columns) for path in progress(given["tokens"], "count words", "shards"))
    for side, (model, vocabulary) in learn_segmentations(count_words(tables, casers), settings).items():
        model.save(given[f"{side}_codes"])
        vocabulary.save(given[f"{side}_vocabulary"])


if __name__ == "__main__":
    run(main)
