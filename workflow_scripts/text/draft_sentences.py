"""Replace the target by translations: the draft of one shard of documents."""

from discourse_nmt.corpus.importing.drafts import draft
from discourse_nmt.corpus.storage.shard_files import read_shards, write_shards
from discourse_nmt.corpus.storage.tables import read_table
from discourse_nmt.workflow_scripts.command import arguments, run


def main() -> None:
    """Parse the arguments, read, join, write."""
    parser = arguments(__doc__)
    parser.add_argument("--sentences", required=True, metavar="FILE", help="sentences table of the shard")
    parser.add_argument("--translations", required=True, metavar="FILE", help="translations table of the whole split")
    parser.add_argument("--output", required=True, metavar="FILE", help="sentences table to write")
    options = parser.parse_args()

    translations = read_table(options.translations, "translations")
    drafted = (draft(shard, translations) for shard in read_shards(options.sentences, "sentences"))
    write_shards(drafted, options.output, "sentences")


if __name__ == "__main__":
    run(main)
