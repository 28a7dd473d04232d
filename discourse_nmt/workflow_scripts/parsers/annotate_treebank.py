"""Annotate the documents of CoNLL-U files with the syntax that a joint network predicts on their words and sentences.

The network must not have learnt their syntax. A pattern of files may reach into archives:
gcdt.tar.xz::conllu/train/*.conllu
"""

from discourse_nmt.base.sources import expand
from discourse_nmt.base.storage.files import write_text
from discourse_nmt.discourse.analysers.annotation import conllu_of
from discourse_nmt.discourse.analysers.weights import load_analyser
from discourse_nmt.discourse.formats.conllu import documents_of, read_conllu, write_conllu
from discourse_nmt.workflow_scripts.command import arguments, run


def main() -> None:
    """Parse the arguments, read, analyse, write."""
    parser = arguments(__doc__)
    parser.add_argument("--conllu", nargs="+", required=True, metavar="PATTERN", help="CoNLL-U of documents")
    parser.add_argument("--analyser", required=True, metavar="FOLDER", help="folder of the joint network")
    parser.add_argument("--output", required=True, metavar="FILE", help="CoNLL-U to write")
    options = parser.parse_args()

    analyser = load_analyser(options.analyser, units=False)
    sources = [source for pattern in options.conllu for source in expand(pattern)]
    pages = (read_conllu(source.text(), source.name, heads=False) for source in sources)
    groups = [group for page in pages for group in documents_of(page)]
    analyses = analyser.analyse([[[word.form for word in one.words] for one in group] for _, group in groups])
    written = [conllu_of(name or "", analysis) for (name, _), analysis in zip(groups, analyses)]
    write_text(write_conllu(sentence for page in written for sentence in page), options.output)


if __name__ == "__main__":
    run(main)
