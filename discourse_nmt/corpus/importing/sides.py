"""Signs that the files of a corpus are not what the configuration says: equal sides, and swapped languages."""

import py3langid

from discourse_nmt.corpus.documents import Document
from discourse_nmt.corpus.importing.spilling import SpilledDocuments

EQUAL_SHARE = 0.05  # of sentence pairs with equal sides, from which a user is told
SAMPLED_DOCUMENTS, SAMPLED_CHARACTERS = 50, 20_000
LEAST_CHARACTERS = 500  # less text is not told apart


def equal_sides(document: Document) -> int:
    """Sentence pairs whose source and target are the same text."""
    return sum(source == target for source, target in zip(document.source.sentences, document.target.sentences))


def misnamed_languages(documents: SpilledDocuments, source_language: str, target_language: str) -> str:
    """A message if the sides of a sample are in other languages than named, each being one of the two; empty if not.

    It is also empty for little text and for languages that py3langid does not know.
    """
    try:
        py3langid.set_languages([source_language, target_language])
    except ValueError:
        return ""
    step = max(1, len(documents) // SAMPLED_DOCUMENTS)
    sample = [documents[position] for position in range(0, len(documents), step)]
    found = []
    for side in ("source", "target"):
        text = " ".join(sentence for document in sample for sentence in getattr(document, side).sentences)
        if len(text) < LEAST_CHARACTERS:
            return ""
        found.append(py3langid.classify(text[:SAMPLED_CHARACTERS])[0])
    if found == [target_language, source_language]:
        return (
            f"the source side looks like {found[0]} and the target side like {found[1]}: swap the files, or "
            "source_language and target_language"
        )
    if found != [source_language, target_language]:
        return f"both sides look like {found[0]}: is each file the one of its language?"
    return ""
