"""Build the dependencies file of one split: the discourse unit of each source subword, and of each unit its head and
relation within the paragraph.
"""

from functools import partial

from discourse.backends.trees import CONVERSIONS
from training.paragraph_dependencies import ParagraphDependencies
from training.paragraph_dependencies_tables import paragraph_dependencies_table
from workflow_scripts.command import arguments, run
from workflow_scripts.structure_command import add_structure_arguments, write_structure


def main() -> None:
    """Parse the arguments, read, align, convert, write."""
    parser = arguments(__doc__)
    add_structure_arguments(parser, "rst")
    add = parser.add_argument
    add("--conversion", choices=sorted(CONVERSIONS), default="li14", help="rule of Li et al. 2014 or Hirao et al. 2013")
    add("--debinarise", action="store_true", help="first merge chains of one multinuclear relation into one node")
    given = parser.parse_args()
    make = partial(paragraph_dependencies_table, convert=CONVERSIONS[given.conversion], binary=given.debinarise)
    write_structure(given, "rst", make, ParagraphDependencies)


if __name__ == "__main__":
    run(main)
