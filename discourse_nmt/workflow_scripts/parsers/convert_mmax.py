"""Convert MMAX2 documents (ParCorFull) to the layout of a treebank: conllu/ with words and sentences, coref_conll/ with
chains; and text/NAME.LANGUAGE with a line of words for each sentence, for project_coreference --spaced.

--mmax is a folder with Basedata/NAME_words.xml, Markables/NAME_sentence_level.xml and Markables/NAME_coref_level.xml.
"""

import logging
from pathlib import Path

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import write_text
from discourse_nmt.discourse.formats.conllu import ConlluRow, Sentence, write_conllu
from discourse_nmt.discourse.formats.coreference import CoreferenceDocument, write_gum_coreference
from discourse_nmt.discourse.treebanks.mmax import read_mmax
from discourse_nmt.workflow_scripts.command import arguments, run


def write_document(document: CoreferenceDocument, language: str, folder: Path) -> None:
    """Write conllu/, coref_conll/ and text/ of a document."""
    sentences = [
        Sentence(
            (f"# newdoc id = {document.name}",) if number == 0 else (),
            tuple(ConlluRow(id=str(word), form=form) for word, form in enumerate(forms, start=1)),
        )
        for number, forms in enumerate(document.sentences)
    ]
    write_text(write_conllu(sentences), folder / "conllu" / f"{document.name}.conllu")
    write_text(write_gum_coreference([document]), folder / "coref_conll" / f"{document.name}.conll")
    lines = "".join(f"{' '.join(forms)}\n" for forms in document.sentences)
    write_text(lines, folder / "text" / f"{document.name}.{language}")


def main() -> None:
    """Parse the arguments, read, write."""
    parser = arguments(__doc__)
    parser.add_argument("--mmax", required=True, metavar="FOLDER", type=Path, help="folder of one language")
    parser.add_argument("--language", required=True, help="ISO 639-1 code, the ending of the text files")
    parser.add_argument("--part", choices=("all", "odd", "even"), default="all", help="documents by place in the list")
    parser.add_argument("--skip", nargs="*", default=[], metavar="NAME", help="documents to leave out, damaged ones")
    parser.add_argument("--output", required=True, metavar="FOLDER", type=Path, help="folder to write")
    options = parser.parse_args()

    found = sorted((options.mmax / "Basedata").glob("*_words.xml"))
    files = [file for file in found if file.name.removesuffix("_words.xml") not in options.skip]
    if not files:
        raise InputError("no Basedata/*_words.xml", file=options.mmax, remedy="correct --mmax")
    first, step = {"all": (0, 1), "odd": (0, 2), "even": (1, 2)}[options.part]
    left_out = mentions = 0
    for file in files[first::step]:
        name = file.name.removesuffix("_words.xml")
        levels = [options.mmax / "Markables" / f"{name}_{level}_level.xml" for level in ("sentence", "coref")]
        document, lost = read_mmax(name, file.read_bytes(), *(level.read_bytes() for level in levels))
        left_out, mentions = left_out + lost, mentions + len(document.mentions)
        write_document(document, options.language, options.output)
    logging.info("%d mentions, %d left out (in pieces, or not in one sentence)", mentions, left_out)


if __name__ == "__main__":
    run(main)
