"""How well documents are aligned whose alignment is known: pages of LibreOffice's help, whose blocks have ids.

The ids are hidden, and the format documents aligns the pages; the pairs of html_pages, which joins blocks by id, are
right. Prints precision, recall and F1 of the pairs of blocks, with the lexicon that the format learns and by lengths
alone; for the pages as they are, and without a share of the blocks of either side, drawn at random.

The costs of blocks of one side alone (UNITS of LearningAligner) were chosen on pages 0 to 100, English and German: F1
there is 94.22 with a tenth of the blocks left out. Pages 100 to 200, the default, report: 100.00 as they are (99.83 by
lengths alone), 95.91 with a tenth left out (92.79). All pages from 100 on: 96.89 (96.21 by lengths alone), precision
98.53: most errors are in a few pages of functions and properties, which each language has in its own alphabet's order.

    python -m benchmarks.alignment.pages --folder data/libreoffice-help --languages en-US de
"""

import random
import re
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from discourse_nmt.base.shards import stable_hash
from discourse_nmt.base.sources import Source, expand
from discourse_nmt.corpus.documents import Document
from discourse_nmt.corpus.readers import documents, html_pages
from discourse_nmt.corpus.reading.html_blocks import blocks_of_page
from discourse_nmt.corpus.reading.requests import Request
from discourse_nmt.sentence_alignment.unaligned import LearningAligner
from discourse_nmt.workflow_scripts.command import arguments, run

CONTAINER = "DisplayArea"
SKIPPED = ["embedded", "code", "codeintable", "smathcode", "howtogetheader", "related", "relatedtopics"]
BLOCKS = html_pages.Options().blocks
ID = re.compile(rb' id="(?!%s")[^"]*"' % CONTAINER.encode())
HEAD = """| blocks left out | lexicon | right pairs | precision | recall | F1 | pages a second |
| ---: | --- | ---: | ---: | ---: | ---: | ---: |"""

Pairs = Counter[tuple[str, str, str]]
"""Pages with the source and the target text of their pairs."""


class ByLengths(LearningAligner):
    """An aligner that learns nothing."""

    def learn(self, documents: Iterable[Any]) -> None:
        """Forget the texts."""


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--folder", default="data/libreoffice-help", help="folder of the languages' folders")
    parser.add_argument("--languages", nargs=2, default=["en-US", "de"], help="source and target")
    parser.add_argument(
        "--pages", nargs=2, type=int, default=[100, 200], help="the first and the end, in the order of a stable hash"
    )
    parser.add_argument("--left-out", nargs="+", type=float, default=[0, 0.1], help="shares of blocks")
    options = parser.parse_args()
    pages = {
        side: {source.key or "": source for source in expand(f"{options.folder}/{language}/text/**/*.html")}
        for side, language in zip(("source", "target"), options.languages)
    }
    names = sorted(pages["source"].keys() & pages["target"].keys(), key=lambda key: stable_hash(key, "page"))
    both = names[slice(*options.pages)]
    settings: dict[str, Any] = {"container": CONTAINER, "blocks": BLOCKS, "skip_classes": SKIPPED, "equal_sides": False}
    languages = [name.partition("-")[0] for name in options.languages]
    print(HEAD)
    for share in options.left_out:
        chance = random.Random(f"{share}")
        sources = {side: [without(found[key], share, chance) for key in both] for side, found in pages.items()}
        request = Request("train", sources, languages[0], languages[1])
        right = pairs_of(html_pages.read(request, html_pages.Options(**settings)))
        hidden = {side: [hide(source) for source in found] for side, found in sources.items()}
        without_id = {side: texts_without_id(found) for side, found in sources.items()}
        for name, aligner in (("learnt", LearningAligner()), ("none", ByLengths())):
            began = time.process_time()
            request = Request("train", hidden, languages[0], languages[1], aligner=aligner)
            found = pairs_of(documents.read(request, documents.Options(**settings, split_sentences=False)))
            seconds = time.process_time() - began
            for page, source, target in list(found):
                if source in without_id["source"] and target in without_id["target"]:
                    del found[page, source, target]  # whether they belong together is not known
            common = (found & right).total()
            scores = (common / found.total(), common / right.total(), 2 * common / (found.total() + right.total()))
            percent = " | ".join(f"{100 * score:.2f}" for score in scores)
            speed = len(both) / seconds
            print(f"| {share:.0%} | {name} | {right.total():,} | {percent} | {speed:.1f} |", flush=True)


def without(source: Source, share: float, chance: random.Random) -> Source:
    """The page without a share of its blocks: they get a class that is skipped."""

    def marked(match: re.Match[bytes]) -> bytes:
        return b' class="%s"%s' % (SKIPPED[0].encode(), match[0]) if chance.random() < share else match[0]

    return replace(source, data=ID.sub(marked, b"".join(source.blocks())))


def hide(source: Source) -> Source:
    """The page without ids."""
    return replace(source, data=ID.sub(b"", b"".join(source.blocks())))


def texts_without_id(sources: Iterable[Source]) -> set[str]:
    """The texts of blocks without an id."""
    blocks = (block for source in sources for block in blocks_of_page(source, CONTAINER, BLOCKS, SKIPPED))
    return {block.text for block in blocks if block.key is None and not block.fault}


def pairs_of(read: Iterable[Document]) -> Pairs:
    """The pairs of all documents."""
    return Counter(
        (document.doc_id, source, target)
        for document in read
        for source, target in zip(document.source.sentences, document.target.sentences)
    )


if __name__ == "__main__":
    run(main)
