"""Build the positions file of one split: the unit of each source subword, and where the units stand in the tree."""

from discourse_nmt.training.builders.positions import write_positions
from discourse_nmt.workflow_scripts.command import run
from discourse_nmt.workflow_scripts.structures.structure_command import build


def main() -> None:
    """Parse the arguments, read, align, write."""
    build(__doc__, "rst", write_positions)


if __name__ == "__main__":
    run(main)
