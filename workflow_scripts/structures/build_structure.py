"""Build the structure file of one split: the discourse unit of each source subword, and the units' heads."""

from discourse_nmt.training.builders.dependencies import write_structure
from discourse_nmt.workflow_scripts.command import run
from discourse_nmt.workflow_scripts.structures.structure_command import build


def main() -> None:
    """Parse the arguments, read, align, write."""
    build(__doc__, "rst_dependencies", write_structure)


if __name__ == "__main__":
    run(main)
