"""Make a folder of a treebank for training and measuring the analysers: conllu/, and optionally rs3/ or rs4/ and
coref_conll/, with one file for each document.

Steps: brackets (-LRB- becomes a bracket), chinese_labels (Chinese Treebank and Stanford labels become Universal
Dependencies), contractions (zum = zu + dem becomes one word), hyphens (Social-Media-Nutzer becomes one word),
inner_spaces (50 000 becomes two words), simplified (traditional Chinese characters become simplified ones), spaces
(SpaceAfter=No from the comment text or by a detokeniser, and a paragraph for each heading). If only the tree has EDUs,
they are marked on the words. Relations of DISRPT (.rels) become trees; sentences without a relation, such as titles,
are left out then. A file without # newdoc id is divided into documents of 20 sentences. A pattern of files may reach
into archives: gcdt.tar.xz::rs3/train/*.rs3
"""

from pathlib import Path
from typing import get_args

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.sources import Source, expand
from discourse_nmt.base.storage.files import write_text
from discourse_nmt.discourse.formats.conllu import Sentence, read_conllu, write_conllu
from discourse_nmt.discourse.formats.reading import blaming
from discourse_nmt.discourse.formats.rs3 import read_rs3, write_rs3
from discourse_nmt.discourse.formats.rs3_trees import graph_of_tree
from discourse_nmt.discourse.treebanks.disrpt import read_relations, related
from discourse_nmt.discourse.treebanks.edu_marks import mark_edus
from discourse_nmt.discourse.treebanks.preparation import (
    documents_by_name,
    first_documents,
    in_part,
    plain_brackets,
    prepared,
)
from discourse_nmt.discourse.treebanks.settings import Part, Step, TreebankSettings
from discourse_nmt.text.detokenisers import detokeniser
from discourse_nmt.text.settings import SideSettings
from discourse_nmt.text.writing_systems import UNSPACED_LANGUAGES
from discourse_nmt.workflow_scripts.command import arguments, run


def contents(patterns: list[str], steps: list[str]) -> dict[Source, str]:
    """Texts of the files of all patterns."""
    sources = [source for pattern in patterns for source in expand(pattern)]
    return {source: plain_brackets(source.text()) if "brackets" in steps else source.text() for source in sources}


def require(documents: dict[str, list[Sentence]], source: Source, name: str) -> None:
    """Raise :class:`InputError` where a document that a file is named like, or tells of, is not there."""
    if name not in documents:
        raise InputError(f"no document {name} in the CoNLL-U files", file=source.name)


def main() -> None:
    """Parse the arguments, read, prepare, write."""
    parser = arguments(__doc__)
    add = parser.add_argument
    add(
        "--conllu",
        nargs="+",
        required=True,
        metavar="PATTERN",
        help="CoNLL-U; documents begin at # newdoc id, or else after 20 sentences",
    )
    add("--kept", nargs="*", default=[], metavar="PATTERN", help="more of them, without the documents of --part held")
    add("--rst", nargs="*", default=[], metavar="PATTERN", help="rs3 or rs4, named like the documents")
    add(
        "--relations", nargs="*", default=[], metavar="PATTERN", help="relations of the units (.rels) in place of trees"
    )
    add(
        "--coreference", nargs="*", default=[], metavar="PATTERN", help="coreference (.conll), named like the documents"
    )
    add("--skip", nargs="*", default=[], metavar="DOCUMENT", help="documents of --relations to leave out, damaged ones")
    add("--language", required=True, help="ISO 639-1 code, for the step spaces")
    add("--steps", nargs="*", default=[], choices=get_args(Step), help="changes to make")
    add("--folds", type=int, default=TreebankSettings.folds, help="number of folds of documents, for --part")
    add(
        "--part",
        choices=get_args(Part),
        default=TreebankSettings.part,
        help="documents to write: fold 0 (held), the others (kept)",
    )
    add(
        "--sentences",
        type=int,
        default=0,
        help="write only documents with at least so many sentences together; 0 for all",
    )
    add("--output", required=True, metavar="FOLDER", help="folder to write")
    options = parser.parse_args()

    join = detokeniser(SideSettings(language=options.language))
    spaced = options.language not in UNSPACED_LANGUAGES
    documents: dict[str, list[Sentence]] = {}
    parts: list[tuple[list[str], Part]] = [(options.conllu, "all"), (options.kept, "kept")]
    for patterns, part in parts:
        for source, content in contents(patterns, options.steps).items():
            read = documents_by_name(read_conllu(content, source.name), source.name, source.stem)
            taken = (name for name in read if in_part(name, options.folds, part))
            documents |= {name: prepared(read[name], options.steps, join, spaced) for name in taken}
    files = {}
    for source, content in contents(options.rst, options.steps).items():
        name, extension = source.stem, source.filename.rpartition(".")[2]
        require(documents, source, source.stem)
        if not any(word.begins_edu for sentence in documents[name] for word in sentence.words):
            texts = [unit.text for unit in read_rs3(content, source.name).units if unit.type == "segment"]
            with blaming(source.name):
                documents[name] = mark_edus(documents[name], texts)
        files[extension, source.filename] = name, content
    for source, content in contents(options.relations, []).items():
        for name, relations in read_relations(content, source.name).items():
            require(documents, source, name)
            if name in options.skip:
                del documents[name]
                continue
            with blaming(f"{source.name}: document {name}"):
                documents[name], tree = related(documents[name], relations)
                files["rs3", f"{name}.rs3"] = name, write_rs3(graph_of_tree(tree))
    for source, content in contents(options.coreference, []).items():
        require(documents, source, source.stem)
        files["coref_conll", source.filename] = source.stem, content
    for name, group in documents.items():
        files["conllu", f"{name}.conllu"] = name, write_conllu(group)
    sizes = {name: len(group) for name, group in documents.items() if in_part(name, options.folds, options.part)}
    chosen = first_documents(sizes, options.sentences)
    for (folder, filename), (name, content) in files.items():
        if name in chosen:
            write_text(content, Path(options.output) / folder / filename)


if __name__ == "__main__":
    run(main)
