"""Write the table of simplified Chinese characters with which the weights beside it also read traditional ones.

The characters are those of OpenCC, one by one.
"""

from discourse_nmt.discourse.analysers.weights import save_simplified
from discourse_nmt.discourse.treebanks.simplification import simplified_characters
from discourse_nmt.workflow_scripts.command import arguments, run


def main() -> None:
    """Parse the arguments, write."""
    parser = arguments(__doc__)
    parser.add_argument("--output", required=True, metavar="FOLDER", help="folder of the weights")
    save_simplified(simplified_characters(), parser.parse_args().output)


if __name__ == "__main__":
    run(main)
