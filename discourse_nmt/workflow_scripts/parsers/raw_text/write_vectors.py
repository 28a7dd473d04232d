"""Write vectors of words, counted in plain text, which the joint network can read.

A line of the text is a paragraph. Words are the segmenter's, lower-cased, with simplified characters if it knows these.
The format is that of word2vec without its first line.
"""

import logging

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.progress import progress
from discourse_nmt.base.sources import expand
from discourse_nmt.base.storage.files import write_text
from discourse_nmt.discourse.analysers.weights import load_segmenter
from discourse_nmt.training.analysers.counted_vectors import counted_vectors
from discourse_nmt.workflow_scripts.command import arguments, run

LINES = 1000  # that are divided into words at a time


def main() -> None:
    """Parse the arguments, read, count, write."""
    parser = arguments(__doc__)
    add = parser.add_argument
    add("--texts", nargs="+", required=True, metavar="PATTERN", help="plain text, UTF-8; may reach into archives")
    add("--segmenter", required=True, metavar="FOLDER", help="folder of the segmenter")
    add("--words", type=int, default=15_000, help="words to write, the most frequent ones")
    add("--width", type=int, default=64, help="components of a vector")
    add("--seed", type=int, default=1, help="seed of the decomposition")
    add("--output", required=True, metavar="FILE", help="vectors to write")
    options = parser.parse_args()

    if options.words < 2 or options.width < 1:
        raise InputError("--words must be at least 2 and --width at least 1", remedy="correct them")
    segmenter = load_segmenter(options.segmenter)
    sources = sorted((source for pattern in options.texts for source in expand(pattern)), key=lambda one: one.name)
    lines = [line for source in sources for line in source.lines() if line.strip()]
    sentences = []
    for first in progress(range(0, len(lines), LINES), "texts", f"times {LINES} lines"):
        part = [line.translate(segmenter.simplified) for line in lines[first : first + LINES]]
        for line, segmented in zip(part, segmenter.segment(part)):
            sentences += [[line[start:end].lower() for start, end in sentence.words] for sentence in segmented]
    words, vectors = counted_vectors(sentences, options.words, options.width, options.seed)
    if len(words) < 2:
        raise InputError("fewer than two words occur three times", remedy="give more text with --texts")
    written = [word for word in words if not word.split()[1:]]
    rows = dict(zip(words, vectors))
    write_text("".join(f"{word} {' '.join(f'{x:.4f}' for x in rows[word])}\n" for word in written), options.output)
    logging.info("%d words of text, %d vectors", sum(map(len, sentences)), len(written))


if __name__ == "__main__":
    run(main)
