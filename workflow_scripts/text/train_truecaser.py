"""Learn the casing of one side's words from the training split's tokens; empty without truecasing."""

from itertools import chain

from discourse_nmt.corpus.progress import progress
from discourse_nmt.corpus.storage.shard_files import read_shards
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
    parser.add_argument("--settings", action=JsonObject, required=True, help="section text with languages, as JSON")
    parser.add_argument("--output", required=True, metavar="FILE", help="truecasing model (JSON) to write")
    options = parser.parse_args()

    settings = TextSettings.from_mapping(options.settings).of(options.side)
    files = options.tokens if settings.truecase and not settings.lowercase else []
    columns = ["side", "tokens"]
    paths = progress(files, "learn casing", "files")
    tables = chain.from_iterable(read_shards(path, "tokens", columns) for path in paths)
    save_casing(learn_casing(sentences_of(tables, options.side)), options.output)


if __name__ == "__main__":
    run(main)
