"""Tokenise one shard of sentences, both sides, with character offsets into the raw text."""

from discourse_nmt.base.storage.shard_files import read_shards, write_shards
from discourse_nmt.text.settings import TextSettings
from discourse_nmt.text.stages import tokenise
from discourse_nmt.workflow_scripts.command import JsonObject, arguments, run


def main() -> None:
    """Read a sentences table, write its tokens table."""
    parser = arguments(__doc__)
    parser.add_argument("--sentences", required=True, metavar="FILE", help="sentences table (Parquet) of one shard")
    parser.add_argument("--settings", action=JsonObject, required=True, help="section text with languages, as JSON")
    parser.add_argument("--output", required=True, metavar="FILE", help="tokens table to write")
    options = parser.parse_args()

    settings = TextSettings.from_mapping(options.settings)
    tokenised = (tokenise(shard, settings) for shard in read_shards(options.sentences, "sentences"))
    write_shards(tokenised, options.output, "tokens")


if __name__ == "__main__":
    run(main)
