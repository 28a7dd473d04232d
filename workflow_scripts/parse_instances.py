"""Trees of the source side where what a system reads at a time is parsed by itself, in a shard of documents.

That is an instance, a run of sentences that packed systems read, or a paragraph of 16 sentences. The table that comes
out is rst_dependencies for instances and rst for paragraphs; a document has a tree, with a root, for each of them. What
the document store holds is reused.
"""

from corpus.tables import write_table
from discourse.backends.pieces import Pieces
from discourse.backends.trees import CONVERSIONS, dependencies_table
from training.dataset import ParallelDataset
from training.units import first_sentences, units_of
from workflow_scripts.command import run
from workflow_scripts.shard import analysed, read_documents, shard_arguments


def main() -> None:
    """Parse the arguments, read, cut, parse, write."""
    parser = shard_arguments(__doc__)
    parser.set_defaults(stage="rst", side="source")
    add = parser.add_argument
    add("--dataset", required=True, metavar="FILE", help="dataset of the split, which is divided")
    add("--unit", choices=["instance", "paragraph"], required=True, help="what is parsed by itself")
    add("--conversion", choices=sorted(CONVERSIONS), default="li14", help="rule of Li et al. 2014 or Hirao et al. 2013")
    add("--debinarise", action="store_true", help="first merge chains of one multinuclear relation into one node")
    given = parser.parse_args()

    sentences, documents = read_documents(given)
    dataset = ParallelDataset(given.dataset)
    starts = first_sentences(dataset, units_of(dataset, given.unit))
    pieces = Pieces(documents, starts)
    total = sum(len(starts.get(name, ())) for name in sentences["doc_id"].unique())
    trees = analysed(given, pieces, total)
    if given.unit == "paragraph":
        write_table(pieces.joined(trees), given.output, "rst")
    else:
        found = dependencies_table(trees, given.conversion, given.debinarise)
        write_table(pieces.joined(found), given.output, "rst_dependencies")


if __name__ == "__main__":
    run(main)
