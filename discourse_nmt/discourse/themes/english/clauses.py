"""Theme and rheme of one clause: its constituents from left to right, up to the first topical one."""

from collections.abc import Sequence
from dataclasses import dataclass

from discourse_nmt.discourse.structures.mentions import Span
from discourse_nmt.discourse.themes.division import Unit, divide
from discourse_nmt.discourse.themes.english.adjuncts import (
    COMMENTS,
    CONTINUATIVES,
    FOCUS,
    INTERPERSONAL,
    TEXTUAL,
    TIMES,
)
from discourse_nmt.discourse.themes.english.groups import enumerator, phrase, predicate, resumption, subject, wh_group
from discourse_nmt.discourse.themes.english.moods import EnglishClause, Mood
from discourse_nmt.discourse.themes.pieces import (
    INTERPERSONAL_THEME,
    RHEME,
    TEXTUAL_THEME,
    TOPICAL_THEME,
    Clause,
    Piece,
)
from discourse_nmt.discourse.themes.sentence import FINITES, INTERNAL, SUBJECTS, WH_TAGS, SentenceTree

LONGEST_COMMENT = 4  # words


@dataclass(frozen=True)
class MoodedClause(Clause):
    """A clause with its ``mood`` and themes.

    ``marked`` is true if its topical theme is not the usual one of its mood: the subject of a declarative or polar
    clause, the wh-group of a wh-question, the verb of an imperative. A clause without a topical theme is not marked.
    """

    mood: Mood
    marked: bool


def clauses_of_sentence(tree: SentenceTree, edus: Sequence[Span]) -> list[MoodedClause]:
    """The clauses of a sentence with mood and themes, in order of their first words; ``edus`` tile the sentence."""
    return [_analyse(EnglishClause(tree, unit), unit) for unit in divide(tree, edus)]


def _analyse(clause: EnglishClause, unit: Unit) -> MoodedClause:
    if _is_comment(clause):
        return MoodedClause(unit, (INTERPERSONAL_THEME,) * clause.count, clause.mood, False)

    def theme(place: int, first: bool) -> Piece:
        return (enumerator(clause, place) if first else None) or _theme(clause, place)

    labels, marked = clause.divided(theme)
    return MoodedClause(unit, labels, clause.mood, marked)


def _is_comment(clause: EnglishClause) -> bool:
    """Whether a unit is only a comment without dependents outside: "you know"."""
    tree, head = clause.tree, clause.head
    if tree.relations[head] != "parataxis" or clause.count > LONGEST_COMMENT or clause.mood != "declarative":
        return False
    speaker = clause.structure.subject is not None and tree.lower[clause.structure.subject] in ("i", "you", "it")
    complement = any(tree.has(head, relation) for relation in ("ccomp", "xcomp", "csubj", "obj", "advcl"))
    return speaker and not complement and tree.syntax.lemmas[head] in COMMENTS


def _theme(clause: EnglishClause, place: int) -> Piece:
    """The theme that begins at the word ``place``, or the rheme."""
    group = phrase(clause, place) or wh_group(clause, place)
    if group:
        return group
    tree, head, word = clause.tree, clause.head, clause.words[place]
    constituent = clause.constituent(place)
    relation = tree.relations[constituent]
    if constituent == head or relation in FINITES or tree.is_infinitive_marker(constituent):
        return predicate(clause, place)
    if relation in SUBJECTS or tree.syntax.xpos[constituent] == "EX":
        return subject(clause, place)
    end = clause.end_of(place)
    if relation in ("cc", "mark"):
        return Piece(TEXTUAL_THEME, end)
    if relation == "vocative":
        return Piece(INTERPERSONAL_THEME, end)
    if relation == "discourse" or tree.syntax.upos[constituent] == "INTJ":
        textual = tree.lower[word] in CONTINUATIVES or tree.lower[word] in TEXTUAL
        return Piece(TEXTUAL_THEME if textual else INTERPERSONAL_THEME, end)
    loose = tree.heads[constituent] != head and tree.relations[head] != "cop"  # its head is in another unit
    if relation == "reparandum" or loose:
        return Piece(None, end)
    if relation in INTERNAL:
        return predicate(clause, place)
    return _adjunct(clause, place, end)


def _adjunct(clause: EnglishClause, place: int, end: int) -> Piece:
    """An adverb, adverbial, comment or complement before the subject."""
    tree, structure = clause.tree, clause.structure
    constituent = clause.constituent(place)
    relation = tree.relations[constituent]
    if relation == "parataxis" and end - place <= LONGEST_COMMENT and tree.syntax.lemmas[constituent] in COMMENTS:
        return Piece(INTERPERSONAL_THEME, end)
    set_off = clause.is_punctuation(end - 1) or clause.is_punctuation(end)
    if relation in ("advmod", "dep", "parataxis", "obl") and (adverb := _adverb(clause, place, end, set_off)):
        return adverb
    if clause.mood == "minor" or (clause.mood == "declarative" and structure.subject is None and not set_off):
        return Piece(RHEME, place)
    if relation == "dislocated" and (resumed := resumption(clause, place)):
        return Piece(TOPICAL_THEME, resumed)
    if clause.form(end) in TIMES:
        end += 1
    relative = structure.bound and any(tree.syntax.xpos[word] in WH_TAGS for word in clause.words[place:end])
    return Piece(TOPICAL_THEME, end, marked=not relative)


def _adverb(clause: EnglishClause, place: int, end: int, set_off: bool) -> Piece | None:
    """A single adverb that is not topical."""
    if not all(clause.is_punctuation(other) for other in range(place + 1, end)):
        return None
    structure, form, imperative = clause.structure, clause.form(place), clause.mood == "imperative"
    kind = clause.tree.syntax.upos[clause.head]
    omitted = structure.subject is None and not imperative
    if form in FOCUS and not set_off:
        return Piece(RHEME, place) if omitted else Piece(None, end)
    # Without a subject before it an adverb may belong to what follows: "so good", "and never went back".
    inner = omitted and not set_off
    if (form in TEXTUAL or (form == "now" and (set_off or imperative))) and not (inner and kind in ("ADJ", "ADV")):
        return Piece(TEXTUAL_THEME, end)
    if form in INTERPERSONAL and not (inner and kind in ("ADJ", "ADV", "VERB", "AUX")):
        return Piece(INTERPERSONAL_THEME, end)
    if imperative and not set_off:
        return Piece(None, end)  # "Carefully remove the lid"
    return None
