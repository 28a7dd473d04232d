"""Learn the casing of one side's words from the training split's tokens; empty without truecasing."""

from discourse_nmt.base.progress import progress
from discourse_nmt.base.storage.shard_files import read_some, row_groups
from discourse_nmt.text.settings import SIDES, TextSettings
from discourse_nmt.text.stages import sentences_of
from discourse_nmt.text.truecasing import learn_casing, save_casing
from discourse_nmt.workflow_scripts.command import JsonObject, arguments, run


def main() -> None:
    """Read tokens tables, write one truecasing model."""
    parser = arguments(__doc__)
    parser.add_argument(
        "--tokens", required=True, nargs="+", metavar="FILE", help="tokens tables of the training split"
    )
    parser.add_argument("--side", required=True, choices=SIDES, help="side to learn")
    parser.add_argument(
        "--pairs", type=int, default=5_000_000, help="about the largest number of sentence pairs to learn from"
    )
    parser.add_argument("--settings", action=JsonObject, required=True, help="section text with languages, as JSON")
    parser.add_argument("--output", required=True, metavar="FILE", help="truecasing model (JSON) to write")
    options = parser.parse_args()

    settings = TextSettings.from_mapping(options.settings).of(options.side)
    files = options.tokens if settings.truecase and not settings.lowercase else []
    tables = read_some(files, "tokens", len(SIDES) * options.pairs, ["doc_id", "side", "tokens"])
    tables = progress(tables, "learn casing", "shards", total=sum(map(row_groups, files)))
    save_casing(learn_casing(sentences_of(tables, options.side), settings), options.output)


if __name__ == "__main__":
    run(main)
