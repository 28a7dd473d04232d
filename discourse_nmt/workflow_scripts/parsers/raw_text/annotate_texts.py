"""Annotate plain text with the joint networks that teach the one that ships.

A file is one document, a line one paragraph. Sentences and words are the segmenter's. With several teachers, the means
of their scores decide.
"""

import logging

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.progress import progress
from discourse_nmt.base.sources import expand
from discourse_nmt.base.storage.files import replacing
from discourse_nmt.discourse.analysers.annotation import conllu_of
from discourse_nmt.discourse.analysers.weights import load_segmenter
from discourse_nmt.discourse.formats.conllu import write_conllu
from discourse_nmt.training.analysers.teachers import load_teachers
from discourse_nmt.workflow_scripts.command import arguments, run

DOCUMENTS = 100  # that are annotated at a time


def main() -> None:
    """Parse the arguments, read, annotate, write."""
    parser = arguments(__doc__)
    add = parser.add_argument
    add("--texts", nargs="+", required=True, metavar="PATTERN", help="plain text, UTF-8; may reach into archives")
    add("--segmenter", required=True, metavar="FOLDER", help="folder of the segmenter")
    add("--teachers", nargs="+", required=True, metavar="FOLDER", help="folders of the joint networks")
    add("--output", required=True, metavar="FILE", help="CoNLL-U to write")
    options = parser.parse_args()

    sources = sorted((source for pattern in options.texts for source in expand(pattern)), key=lambda one: one.name)
    segmenter, teachers = load_segmenter(options.segmenter), load_teachers(options.teachers)
    sentences = words = 0
    with replacing(options.output) as temporary, temporary.open("w", encoding="utf-8") as file:
        for first in progress(range(0, len(sources), DOCUMENTS), "texts", f"times {DOCUMENTS}"):
            documents = []
            for source in sources[first : first + DOCUMENTS]:
                paragraphs = [line for line in source.lines() if line.strip()]
                documents.append(
                    [
                        [paragraph[start:end] for start, end in sentence.words]
                        for paragraph, segmented in zip(paragraphs, segmenter.segment(paragraphs))
                        for sentence in segmented
                    ]
                )
            for number, analyses in enumerate(teachers.analyse(documents), first + 1):
                file.write(write_conllu(conllu_of(f"text-{number}", analyses)))
                sentences += len(analyses)
                words += sum(len(analysis.forms) for analysis in analyses)
    if not words:
        raise InputError("no word in the texts", remedy="correct --texts")
    logging.info("%d documents, %d sentences, %d words", len(sources), sentences, words)


if __name__ == "__main__":
    run(main)
