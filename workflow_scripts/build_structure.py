"""Build the structure file of one split: the discourse unit of each source subword, and the units' heads."""

from training.structure import Structure
from training.structure_tables import structure_table
from workflow_scripts.command import run
from workflow_scripts.structure_command import build


def main() -> None:
    """Parse the arguments, read, align, write."""
    build(__doc__, "rst_dependencies", structure_table, Structure)


if __name__ == "__main__":
    run(main)
