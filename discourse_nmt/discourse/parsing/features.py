"""Symbolic features of discourse units: words at both ends, head, position, repetitions.

A feature is a string such as ``first=because``. Only features that are frequent in the training data have an embedding.
"""

from collections.abc import Iterator, Sequence

from discourse_nmt.discourse.parsing.document import ParserInput
from discourse_nmt.discourse.structures.mentions import Span, head_of_span
from discourse_nmt.discourse.structures.syntax import Syntax

CONTENT = frozenset(("NOUN", "PROPN", "VERB", "ADJ", "NUM"))
LINKING = frozenset(("CCONJ", "SCONJ", "ADV", "INTJ", "PRON", "AUX"))
WINDOWS = (2, 5)  # numbers of sentences on either side of a boundary whose words are compared
CLAUSE_WORDS = frozenset(("mark", "cc", "aux", "aux:pass", "cop", "nsubj", "nsubj:pass", "expl", "advmod", "discourse"))


def bucket(value: int) -> int:
    """0 to 4 unchanged, then one bucket per doubling."""
    return value if value < 5 else value.bit_length() + 2


def features_of(document: ParserInput) -> list[list[str]]:
    """Features of every discourse unit."""
    by_sentence: dict[int, list[Span]] = {}
    for edu in document.edus:
        by_sentence.setdefault(edu.sentence, []).append(edu)
    contents = [_content(document.sentences[number], 0) for number in by_sentence]
    seen: set[str] = set()
    features_of_units: list[list[str]] = []
    places = _paragraph_places(document, list(by_sentence)) if document.paragraphs is not None else {}
    for rank, (number, edus) in enumerate(by_sentence.items()):
        sentence = document.sentences[number]
        shared = [
            f"place={min(rank, 3)}/{10 * rank // len(contents)}",
            f"left={min(len(contents) - rank - 1, 3)}",
            f"sentence={bucket(len(sentence.forms))}",
            f"document={bucket(len(contents))}",
        ]
        for order, edu in enumerate(edus):
            features = [*shared, *_words(sentence, edu), *_head(sentence, edu, edus)]
            features.append(f"order={min(order, 4)}/{min(len(edus) - order - 1, 4)}")
            features.append(f"length={bucket(edu.end - edu.start)}")
            if order == 0:
                features += _cohesion(contents, rank, seen)
            features += places.get(number, ())
            own = _content(sentence, edu.start, edu.end)
            earlier = seen if order else contents[rank - 1] if rank else set()
            features.append(f"unit_repeats={min(len(own & earlier), 3)}")
            features_of_units.append(features)
        seen |= contents[rank]
    return features_of_units


def _paragraph_places(document: ParserInput, sentences: Sequence[int]) -> dict[int, list[str]]:
    """Position of each of the ``sentences`` in its paragraph, and position of the paragraph in the document."""
    paragraphs = document.paragraphs or frozenset()
    begins = [rank for rank, number in enumerate(sentences) if rank == 0 or number in paragraphs]
    places: dict[int, list[str]] = {}
    for order, (first, last) in enumerate(zip(begins, [*begins[1:], len(sentences)])):
        left = len(begins) - order - 1
        for rank in range(first, last):
            words = bucket(len(document.sentences[sentences[rank]].forms))
            places[sentences[rank]] = [
                f"in_paragraph={min(rank - first, 3)}/{min(last - rank - 1, 3)}",
                f"paragraph_length={bucket(last - first)}",
                f"paragraph={min(order, 3)}/{min(left, 3)}",
                f"heading={rank == first} {last - first == 1} {words}",
            ]
    return places


def _content(sentence: Syntax, start: int, end: int | None = None) -> set[str]:
    """Lemmas of the content words."""
    pairs = zip(sentence.lemmas[start:end], sentence.upos[start:end])
    return {lemma.lower() for lemma, tag in pairs if tag in CONTENT}


def _cohesion(contents: Sequence[set[str]], rank: int, seen: set[str]) -> Iterator[str]:
    """Share of a sentence's words that occur before, and similarity of the text before and after its beginning."""
    content = contents[rank]
    yield f"repeats={bucket(len(content & contents[rank - 1]) if rank else 0)}"
    yield f"known={4 * len(content & seen) // len(content) if content else -1}"
    for reach in WINDOWS:
        before = set().union(*contents[max(0, rank - reach) : rank])
        after = set().union(*contents[rank : rank + reach])
        smaller = min(len(before), len(after))
        yield f"common{reach}={10 * len(before & after) // smaller if smaller else -1}"


def _words(sentence: Syntax, edu: Span) -> Iterator[str]:
    """First and last words, all words, tags."""
    forms = [form.lower() for form in sentence.forms[edu.start : edu.end]]
    tags = sentence.upos[edu.start : edu.end]
    yield f"first={forms[0]}"
    yield f"first2={' '.join(forms[:2])}"
    yield f"first3={' '.join(forms[:3])}"
    yield f"last={forms[-1]}"
    yield f"last2={' '.join(forms[-2:])}"
    yield f"tags={' '.join(tags[:2])}"
    yield f"tags3={' '.join(tags[:3])}"
    yield f"xpos={sentence.xpos[edu.start]} {sentence.xpos[min(edu.start + 1, edu.end - 1)]}"
    yield f"relation={sentence.deprels[edu.start]}"
    yield f"upper={sentence.forms[edu.start][:1].isupper()} {sentence.forms[edu.start].isupper()}"
    for word in dict.fromkeys(forms):
        yield f"word={word}"
    for form, tag in zip(forms, tags):
        if tag in LINKING:
            yield f"link={form}"
    for tag in dict.fromkeys(tags):
        yield f"has={tag}"
    if "VERB" not in tags and "AUX" not in tags:
        yield "no verb"


def _head(sentence: Syntax, edu: Span, edus: Sequence[Span]) -> Iterator[str]:
    """The head word, its dependents in the clause, and the position of its governor."""
    head = head_of_span(edu, sentence.heads).start
    lemma = sentence.lemmas[head].lower()
    deprel = sentence.deprels[head]
    yield f"head={lemma}"
    yield f"head_tag={sentence.xpos[head]}"
    yield f"head_features={sentence.features[head]}"
    yield f"head_relation={deprel}"
    for word in range(edu.start, edu.end):
        if sentence.heads[word] == head and sentence.deprels[word] in CLAUSE_WORDS:
            yield f"{sentence.deprels[word]}={sentence.lemmas[word].lower()}"
            yield f"clause={sentence.deprels[word]}"
    governor = sentence.heads[head]
    if governor < 0:
        yield "governor=root"
        return
    own = next(number for number, other in enumerate(edus) if other.start == edu.start)
    place = next(number for number, other in enumerate(edus) if governor < other.end)
    distance = max(-3, min(3, place - own))
    yield f"governor={distance} {deprel}"
    yield f"governor_lemma={sentence.lemmas[governor].lower()} {deprel}"
    yield f"governor_tag={sentence.upos[governor]} {distance}"
