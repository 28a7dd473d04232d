"""Convert the rhetorical structure trees of one shard into dependencies between elementary discourse units."""

from discourse_nmt.base.storage.shard_files import read_shards, write_shards
from discourse_nmt.discourse.backends.trees import CONVERSIONS, dependencies_table
from discourse_nmt.discourse.settings import RstSettings
from discourse_nmt.workflow_scripts.command import arguments, run


def main() -> None:
    """Parse the arguments, read, convert, write."""
    parser = arguments(__doc__)
    add = parser.add_argument
    add("--rst", required=True, metavar="FILE", help="table rst")
    add(
        "--conversion",
        choices=sorted(CONVERSIONS),
        default=RstSettings().conversion,
        help="of Li et al. 2014 or Hirao et al. 2013",
    )
    add("--debinarise", action="store_true", help="first merge chains of one multinuclear relation into one node")
    add("--output", required=True, metavar="FILE", help="table rst_dependencies to write")
    options = parser.parse_args()

    trees = read_shards(options.rst, "rst")
    converted = (dependencies_table(shard, options.conversion, options.debinarise) for shard in trees)
    write_shards(converted, options.output, "rst_dependencies")


if __name__ == "__main__":
    run(main)
