"""Groups of lines ``context <SEP> sentence``: the first line is right, the others are wrong."""

from collections.abc import Sequence

from discourse_nmt.base.characters import has_text
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.sources import Source
from discourse_nmt.corpus.documents import Document
from discourse_nmt.corpus.suites.items import document, translated

Line = tuple[int, str, str]  # 1-based number, source and target


def contrasted(
    files: tuple[Source, ...],
    group: Sequence[Line],
    separator: str,
    context: Sequence[tuple[str, str]] = (),
) -> tuple[Document, list[Document]]:
    """The right document and the wrong ones of a group.

    The context is ``context`` and then all sentences before the last ``separator``, with the translation of the first
    line. Context pairs with an empty side are left out, as at the beginning of a document. Raises :class:`InputError`
    for a group of one line, and for a line whose source differs from that of the first.
    """
    number, first_source, first_target = group[0]
    if len(group) < 2:
        raise InputError("the group has no wrong variant", file=files[1].name, line=number)
    sources, targets = (text.split(separator) for text in (first_source, first_target))
    if len(sources) != len(targets):
        raise InputError(
            f"{len(targets)} segments, {len(sources)} in {files[0].name}",
            file=files[1].name,
            line=number,
            remedy=f"{separator} must divide both sides alike",
        )
    before = [pair for pair in (*context, *zip(sources[:-1], targets[:-1])) if all(map(has_text, pair))]
    right = document((files[0], files[1]), number, [*before, (sources[-1], targets[-1])])
    wrong = []
    for line, source, target in group[1:]:
        if source != first_source:
            raise InputError(
                f"another source than line {number}, the first of its group",
                file=files[0].name,
                line=line,
                remedy="are groups and texts of one suite?",
            )
        wrong.append(translated(right, [*right.target.sentences[:-1], target.split(separator)[-1]], line))
    return right, wrong
