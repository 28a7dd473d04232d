"""Parallel HTML pages whose blocks carry the same ids on both sides, such as the help of LibreOffice and other manuals
made from one master document. A page is a document, a block (a paragraph, a heading) one or more sentence pairs.

Blocks are joined by id, in the order of the source page. Markup becomes text.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from discourse_nmt.base.characters import has_text
from discourse_nmt.base.settings import setting
from discourse_nmt.base.sources import Source
from discourse_nmt.corpus.documents import Document, Drop
from discourse_nmt.corpus.reading.division import divide
from discourse_nmt.corpus.reading.html_blocks import HEADINGS, PAGES, Block, Key, blocks_of_page
from discourse_nmt.corpus.reading.requests import Request


@dataclass(frozen=True)
class Options:
    """Which part of a page is text, and which of its blocks are kept."""

    container: str = setting("", "id of the element that holds the text of a page; empty for the whole page")
    blocks: list[str] = setting(["p", *HEADINGS], "elements that are one block of text; the innermost one counts")
    skip_classes: list[str] = setting(
        [],
        "classes of elements whose blocks are left out, for example code or embedded; inside a block, text of such a "
        "class stays, as its sentence needs it",
    )
    equal_sides: bool = setting(True, "keep blocks whose source and target are the same text")
    split_sentences: bool = setting(
        False,
        "divide a block into sentences where both sides have the same number of them; needs shipped analysers of both "
        "languages, without which blocks stay whole",
    )


def read(request: Request, options: Options) -> Iterator[Document]:
    """The pages that both sides have, in natural order of their ids: what the wildcards of the patterns matched.

    Left out and counted are pages and blocks that only one side has, blocks of ``skip_classes``, without an id or
    text, text of a block beside blocks that it holds, and with ``equal_sides: false`` blocks with the same text on both
    sides. An id that a page repeats is joined in order.
    """
    for key, source, target in request.files_by_key(PAGES):
        if source is None or target is None:
            request.drops.append(Drop(key, None, "page on one side only", key, 0))
            continue
        document = Document.start(key, source.name, target.name, 1)
        drops = list(_join(document, _blocks(source, options), _blocks(target, options), options))
        request.drops.extend(drops)
        if len(document):
            if options.split_sentences and request.splitters.keys() == {"source", "target"}:
                divide(document, request)
            elif options.split_sentences:
                request.notes["blocks left whole: no sentence splitter for these languages"] += len(document)
            yield document
        elif not drops:
            request.drops.append(Drop(key, None, "page without blocks", key, 0))


def _join(document: Document, sources: list[Block], targets: list[Block], options: Options) -> Iterator[Drop]:
    """Add the blocks that both sides have to ``document``; yield what is left out."""
    of_key = {block.key: block for block in targets if block.key is not None and not block.fault}
    first_kept, last_kept = _kept_range(sources, of_key.keys())
    for position, source in enumerate(sources):
        target = of_key.pop(source.key, None) if source.key is not None else None
        if source.fault:
            reason = source.fault
        elif source.key is None:
            reason = "block without id"
        elif target is None:
            reason = "block on one side only"
        elif not has_text(source.text) or not has_text(target.text):
            reason = "block without text"
        elif not options.equal_sides and source.text == target.text:
            reason = "equal sides"
        else:
            document.add(source.text, target.text, source.line, target.line)
            continue
        between = first_kept < position < last_kept
        yield Drop(document.doc_id, source.line, reason, source.text, 1, between)
    for target in of_key.values():
        yield Drop(document.doc_id, None, "block on one side only", target.text)


def _kept_range(sources: list[Block], target_keys: Collection[Key]) -> tuple[int, int]:
    """Positions of the first and the last source block that has a partner; (0, 0) for none."""
    joined = [position for position, block in enumerate(sources) if block.key in target_keys]
    return (joined[0], joined[-1]) if joined else (0, 0)


def _blocks(source: Source, options: Options) -> list[Block]:
    return blocks_of_page(source, options.container, options.blocks, options.skip_classes)
