"""Division of paired texts, such as paragraphs or messages, into sentence pairs."""

from discourse_nmt.corpus.documents import OF_PAIRS, Document
from discourse_nmt.corpus.reading.requests import Request
from discourse_nmt.corpus.reading.sentence_ends import split_at_ends


def divide(document: Document, request: Request) -> None:
    """Divide the pairs of ``document`` into sentences where both sides have as many; count both cases.

    Sentences end where the request's splitters say, or at their end marks if one of the languages has none.
    """
    sides = (document.source, document.target)
    known = request.splitters.keys() == {"source", "target"}
    splitters = [request.splitters[name] if known else split_at_ends for name in ("source", "target")]
    divided = [splitter(side.sentences) for splitter, side in zip(splitters, sides)]
    lines = [side.lines for side in sides]
    told = {name: values for name in OF_PAIRS.values() if (values := getattr(document, name)) is not None}
    for side in sides:
        side.sentences, side.lines = [], []
    for name in told:
        setattr(document, name, [])
    for position, (sources, targets) in enumerate(zip(*divided, strict=True)):
        if len(sources) != len(targets):
            sources, targets = [" ".join(sources)], [" ".join(targets)]
            request.notes["blocks left whole: the sides have different numbers of sentences"] += 1
        elif len(sources) > 1:
            request.notes["blocks divided into sentences"] += 1
        for source, target in zip(sources, targets):
            document.add(source, target, lines[0][position], lines[1][position])
        for name, values in told.items():
            getattr(document, name).extend([values[position]] * len(sources))
