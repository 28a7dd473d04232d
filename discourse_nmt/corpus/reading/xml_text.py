"""Files of XML that are read as a whole."""

from collections.abc import Sequence

from lxml import etree

from discourse_nmt.base.errors import InputError


def root(text: str, name: str, tag: str, *, remedy: str, forbidden: Sequence[str] = ("<!ENTITY",)) -> etree._Element:
    """The root, a ``tag``, of the ``text`` of the file ``name``, without comments and processing instructions.

    Raises :class:`InputError` for another root, with the ``remedy``; for what is no XML; and for a ``forbidden``
    declaration: entities may grow without bound.
    """
    for declaration in forbidden:
        if declaration in text:
            line = text.count("\n", 0, text.index(declaration)) + 1
            raise InputError(f"{declaration} is not accepted", file=name, line=line, remedy="remove the declaration")
    parser = etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        found = etree.fromstring(text.encode(), parser)
    except etree.XMLSyntaxError as error:
        raise InputError(f"not XML ({error.msg})", file=name, line=error.lineno) from None
    if found.tag != tag:
        message = f"the root is <{found.tag}>, not <{tag}>"
        raise InputError(message, file=name, line=found.sourceline, remedy=remedy)
    return found
