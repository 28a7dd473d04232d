"""Project coreference chains over word alignments: the resolver of one language reads its side of parallel documents,
and its mentions become those of the other side.

--parallel names tables of sentences (data/<run>/sentences/*.parquet of a corpus) or folders in which NAME.FROM and
NAME.TO, with language codes as endings, are the two sides of a document: line N of one translates line N of the other.
The words of both sides are aligned by a model that is learnt from all lines, and from those of --more.

Writes into --output: chains.conll (GUM's three columns, with types and mentions without a chain; training reads it),
chains.conll2012 (chains alone), syntax.conllu (the other side's words and syntax) and counts.json (the mentions that
were projected, and those that were not and why). Zero pronouns have no word and are never projected.
"""

import logging
from collections import Counter
from pathlib import Path

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import write_json, write_text
from discourse_nmt.discourse.analysers.annotation import conllu_of
from discourse_nmt.discourse.analysers.weights import load_analyser
from discourse_nmt.discourse.coreference.lexicons import lexicon_of
from discourse_nmt.discourse.coreference.projection import chains_only, project
from discourse_nmt.discourse.coreference.weights import load_resolver
from discourse_nmt.discourse.formats.conllu import write_conllu
from discourse_nmt.discourse.formats.coreference import write_conll_coreference, write_gum_coreference
from discourse_nmt.workflow_scripts.command import arguments, run
from discourse_nmt.workflow_scripts.parsers.projection.parallel_text import (
    add_parallel,
    analyser_folders,
    read_parallel_text,
)


def main() -> None:
    """Parse the arguments, read, analyse, align, project, write."""
    parser = arguments(__doc__)
    add_parallel(parser)
    parser.add_argument(
        "--certainty",
        type=float,
        default=0.5,
        help="least probability of mentions without a chain that are projected",
    )
    options = parser.parse_args()

    lexicon = lexicon_of(options.second)
    folders = analyser_folders(options)
    resolver = load_resolver(folders[0])
    if not 0 <= options.certainty <= 1:
        raise InputError(f"--certainty is {options.certainty:g}", remedy="give a probability")
    text = read_parallel_text(options)
    first, second = (
        load_analyser(folder, units=False).analyse([side.forms for side in sides])
        for folder, sides in zip(folders, (text.first, text.second))
    )

    projections = []
    for number, (left, right) in enumerate(zip(first, second)):
        found = resolver.mentions_of(left)
        sizes = Counter(mention.entity for mention in found)
        kept = [one for one in found if sizes[one.entity] > 1 or one.certainty >= options.certainty]
        projections.append(project(text.aligned(number, left, right), kept, lexicon))
    output = Path(options.output)
    pages = [conllu_of(one.name, side) for one, side in zip(text.documents, second)]
    write_text(write_conllu(sentence for page in pages for sentence in page), output / "syntax.conllu")
    projected = [one.document for one in projections]
    chains = [chains_only(document) for document in projected]
    write_text(write_gum_coreference(projected), output / "chains.conll")
    write_text(write_conll_coreference(chains), output / "chains.conll2012")
    outcomes = sum((one.outcomes for one in projections), Counter())
    counts: dict[str, int | dict[str, int]] = {
        "documents": len(text.documents),
        "chains": sum(len({mention.entity for mention in document.mentions}) for document in chains),
        "mentions of chains": sum(len(document.mentions) for document in chains),
        **{
            name: {outcome: count for (outcome, fellows), count in sorted(outcomes.items()) if fellows == name}
            for name in ("chain", "alone")
        },
    }
    write_json(counts, output / "counts.json")
    logging.info("%s", counts)


if __name__ == "__main__":
    run(main)
