"""Turn the rhetorical structure trees of one shard into dependencies between their elementary discourse units."""

from corpus.tables import read_table, write_table
from discourse.backends.trees import CONVERSIONS, dependencies_table
from workflow_scripts.command import arguments, run


def main() -> None:
    """Parse the arguments, read, convert, write."""
    parser = arguments(__doc__)
    add = parser.add_argument
    add("--rst", required=True, metavar="FILE", help="table rst")
    add("--conversion", choices=sorted(CONVERSIONS), default="li14", help="rule of Li et al. 2014 or Hirao et al. 2013")
    add("--debinarise", action="store_true", help="first merge chains of one multinuclear relation into one node")
    add("--output", required=True, metavar="FILE", help="table rst_dependencies to write")
    given = parser.parse_args()

    table = dependencies_table(read_table(given.rst, "rst"), given.conversion, given.debinarise)
    write_table(table, given.output, "rst_dependencies")


if __name__ == "__main__":
    run(main)
