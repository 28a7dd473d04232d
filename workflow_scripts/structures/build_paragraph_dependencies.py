"""Build the dependencies file of one split: the discourse unit of each source subword, and of each unit its head and
relation within the paragraph.
"""

from functools import partial

from discourse_nmt.discourse.backends.trees import CONVERSIONS
from discourse_nmt.training.builders.paragraph_dependencies import write_paragraph_dependencies
from discourse_nmt.workflow_scripts.command import arguments, run
from discourse_nmt.workflow_scripts.structures.structure_command import add_structure_arguments, write_file


def main() -> None:
    """Parse the arguments, read, align, convert, write."""
    parser = arguments(__doc__)
    add_structure_arguments(parser, "rst")
    add = parser.add_argument
    add("--conversion", choices=sorted(CONVERSIONS), default="li14", help="rule of Li et al. 2014 or Hirao et al. 2013")
    add("--debinarise", action="store_true", help="first merge chains of one multinuclear relation into one node")
    given = parser.parse_args()
    convert = CONVERSIONS[given.conversion]
    write_file(given, "rst", partial(write_paragraph_dependencies, convert=convert, binary=given.debinarise))


if __name__ == "__main__":
    run(main)
