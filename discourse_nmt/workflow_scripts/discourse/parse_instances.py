"""Parse each instance or paragraph of the source side by itself, in one shard of documents.

An instance is a run of sentences that packed systems read; a paragraph has 16 sentences. The output is a table
rst_dependencies for instances and a table rst for paragraphs, with one tree for each. Trees in the document store are
reused.
"""

from collections import deque
from collections.abc import Iterator

from discourse_nmt.base.storage.shard_files import write_shards
from discourse_nmt.discourse.backends.pieces import Pieces
from discourse_nmt.discourse.backends.trees import CONVERSIONS, dependencies_table
from discourse_nmt.discourse.settings import RstSettings
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.data.units import first_sentences, units_of
from discourse_nmt.workflow_scripts.command import run
from discourse_nmt.workflow_scripts.shard import analysed, read_documents, shard_arguments


def main() -> None:
    """Parse the arguments, read, cut, parse, write."""
    parser = shard_arguments(__doc__)
    parser.set_defaults(stage="rst", side="source")
    add = parser.add_argument
    add("--dataset", required=True, metavar="FILE", help="dataset of the split")
    add("--unit", choices=["instance", "paragraph"], required=True, help="unit that is parsed by itself")
    add(
        "--conversion",
        choices=sorted(CONVERSIONS),
        default=RstSettings().conversion,
        help="of Li et al. 2014 or Hirao et al. 2013",
    )
    add("--debinarise", action="store_true", help="first merge chains of one multinuclear relation into one node")
    given = parser.parse_args()

    dataset = ParallelDataset(given.dataset)
    cut: deque[Pieces] = deque()

    def in_pieces() -> Iterator[tuple[Pieces, int]]:
        for sentences, documents in read_documents(given):
            part = dataset.of(sentences["doc_id"])
            starts = first_sentences(part, units_of(part, given.unit))
            cut.append(Pieces(documents, starts))
            yield cut[-1], sum(len(starts.get(name, ())) for name in sentences["doc_id"].unique())

    trees = analysed(given, in_pieces())
    if given.unit == "paragraph":
        write_shards((cut.popleft().joined(table) for table in trees), given.output, "rst")
    else:
        tables = (dependencies_table(table, given.conversion, given.debinarise) for table in trees)
        write_shards((cut.popleft().joined(table) for table in tables), given.output, "rst_dependencies")


if __name__ == "__main__":
    run(main)
