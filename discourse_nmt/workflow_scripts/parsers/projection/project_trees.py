"""Project discourse trees over word alignments: the RST parser of one language reads its side of parallel documents,
and its trees become trees of the other side.

--parallel names tables of sentences (data/<run>/sentences/*.parquet of a corpus) or folders in which NAME.FROM and
NAME.TO, with language codes as endings, are the two sides of a document: line N of one translates line N of the other.
The words of both sides are aligned by a model that is learnt from all lines, and from those of --more.

Writes a treebank into --output: conllu/NAME.conllu (the other side's words with predicted syntax and projected units,
without sentences that have no translation), rs3/NAME.rs3 and counts.json (units of the first side, kept and joined).
units/NAME.conllu has the sentences of lines whose units were all kept: those that teach where units begin.
"""

import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from discourse_nmt.base.progress import progress
from discourse_nmt.base.storage.files import write_json, write_text
from discourse_nmt.discourse.analysers.analyser import SentenceAnalysis, states_of
from discourse_nmt.discourse.analysers.annotation import conllu_of
from discourse_nmt.discourse.analysers.weights import load_analyser
from discourse_nmt.discourse.formats.conllu import write_conllu
from discourse_nmt.discourse.formats.rs3 import write_rs3
from discourse_nmt.discourse.formats.rs3_trees import graph_of_tree
from discourse_nmt.discourse.parsing.document import ParserInput
from discourse_nmt.discourse.parsing.projection import ProjectedTree, project_tree
from discourse_nmt.discourse.parsing.weights import load_rst_parser
from discourse_nmt.discourse.structures.mentions import Span, edus_of_starts
from discourse_nmt.discourse.structures.syntax import Syntax
from discourse_nmt.discourse.structures.trees import RstTree
from discourse_nmt.workflow_scripts.command import arguments, run
from discourse_nmt.workflow_scripts.parsers.projection.parallel_text import (
    add_parallel,
    analyser_folders,
    read_parallel_text,
)

# Languages that put a comma before each clause. In others, a piece also begins where the parse has a clause.
COMMAS = frozenset({"be", "bg", "cs", "de", "et", "fi", "hu", "lt", "lv", "pl", "ru", "sk", "uk"})


def with_texts(projected: ProjectedTree, sentences: Sequence[Syntax]) -> RstTree:
    """The projected tree with the words of its units."""

    def text(unit: Sequence[Span]) -> str:
        return " ".join(form for span in unit for form in sentences[span.sentence].forms[span.start : span.end])

    return RstTree(projected.tree.nodes, tuple(text(unit) for unit in projected.units))


def with_units(sentences: Sequence[SentenceAnalysis], projected: ProjectedTree) -> list[SentenceAnalysis]:
    """The sentences with marks where the projected units begin."""
    starts = {(unit[0].sentence, unit[0].start) for unit in projected.units}
    return [
        replace(one, edu_starts=tuple((number, word) in starts for word in range(len(one.forms))))
        for number, one in enumerate(sentences)
    ]


def main() -> None:
    """Parse the arguments, read, align, analyse, project, write."""
    parser = arguments(__doc__)
    add_parallel(parser)
    options = parser.parse_args()

    folders = analyser_folders(options)
    rst_parser = load_rst_parser(folders[0])
    first_analyser, second_analyser = load_analyser(folders[0]), load_analyser(folders[1], units=False)
    text = read_parallel_text(options)
    output = Path(options.output)
    outcomes: Counter[str] = Counter()
    trees = 0
    for number, document in enumerate(progress(text.documents, "projecting", "documents")):
        [left] = first_analyser.analyse([text.first[number].forms], states=True)
        [right] = second_analyser.analyse([text.second[number].forms])
        from_edus = edus_of_starts([one.edu_starts for one in left])
        if not from_edus:
            continue
        [tree] = rst_parser.parse([ParserInput(left, from_edus, states_of(left))])
        aligned = text.aligned(number, left, right)
        projected = project_tree(aligned, tree, from_edus, clauses=options.second not in COMMAS)
        if projected is None:
            continue
        trees, outcomes = trees + 1, outcomes + projected.outcomes
        marked = with_units(right, projected)
        for folder, numbers in (("conllu", projected.sentences), ("units", projected.certain)):
            sentences = conllu_of(document.name, [marked[sentence] for sentence in numbers])
            write_text(write_conllu(sentences), output / folder / f"{document.name}.conllu")
        graph = graph_of_tree(with_texts(projected, right))
        write_text(write_rs3(graph), output / "rs3" / f"{document.name}.rs3")
    counts = {"documents": len(text.documents), "trees": trees, "units": dict(sorted(outcomes.items()))}
    write_json(counts, output / "counts.json")
    logging.info("%s", counts)


if __name__ == "__main__":
    run(main)
