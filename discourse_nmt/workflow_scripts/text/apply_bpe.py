"""Turn one shard of tokens, both sides, into subword ids: truecase or lowercase, segment, number."""

from discourse_nmt.base.storage.shard_files import read_shards, write_shards
from discourse_nmt.base.vocabulary import Vocabulary
from discourse_nmt.text.pretrained import encoder
from discourse_nmt.text.settings import SIDES, TextSettings
from discourse_nmt.text.stages import apply_subwords
from discourse_nmt.text.truecasing import load_casing
from discourse_nmt.workflow_scripts.command import JsonObject, arguments, run


def main() -> None:
    """Read a tokens table and the models of both sides, write the subwords table."""
    parser = arguments(__doc__)
    parser.add_argument("--tokens", required=True, metavar="FILE", help="tokens table (Parquet) of one shard")
    parser.add_argument("--settings", action=JsonObject, required=True, help="section text with languages, as JSON")
    for side in SIDES:
        parser.add_argument(f"--{side}-truecaser", required=True, metavar="FILE", help=f"{side} truecasing model")
        parser.add_argument(f"--{side}-codes", required=True, metavar="FILE", help=f"{side} subword model")
        parser.add_argument(f"--{side}-vocabulary", required=True, metavar="FILE", help=f"{side} vocabulary")
    parser.add_argument("--output", required=True, metavar="FILE", help="subwords table to write")
    options = vars(parser.parse_args())

    settings = TextSettings.from_mapping(options["settings"])
    encoders = {
        side: encoder(
            settings.of(side),
            load_casing(options[f"{side}_truecaser"]),
            options[f"{side}_codes"],
            Vocabulary.load(options[f"{side}_vocabulary"]),
        )
        for side in SIDES
    }
    subwords = (apply_subwords(shard, encoders) for shard in read_shards(options["tokens"], "tokens"))
    write_shards(subwords, options["output"], "subwords")


if __name__ == "__main__":
    run(main)
