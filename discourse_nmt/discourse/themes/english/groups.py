"""Groups of words that are one theme, or that end one, independently of their dependencies."""

import re

from discourse_nmt.discourse.themes.english.adjuncts import LONGER, TEXTUAL
from discourse_nmt.discourse.themes.english.moods import EnglishClause
from discourse_nmt.discourse.themes.pieces import (
    INTERPERSONAL_THEME,
    RHEME,
    TEXTUAL_THEME,
    TOPICAL_THEME,
    Piece,
)
from discourse_nmt.discourse.themes.sentence import FINITES, NEGATIONS, SUBJECTS

ENUMERATOR = re.compile(r"\(?(?:\d{1,3}(?:\.\d+)*|[a-z]|[ivx]+)[.)]")
CONJUNCTIONS = frozenset({"when", "whenever", "where"})


def enumerator(clause: EnglishClause, place: int) -> Piece | None:
    """A list number or letter at the beginning of the clause: "1.", "(a)"."""
    tree, word = clause.tree, clause.words[place]
    form = tree.lower[word]
    if word == clause.head or place + 1 == clause.count:
        return None
    if ENUMERATOR.fullmatch(form) or (tree.syntax.xpos[word] == "LS" and tree.relations[word] != "nsubj"):
        return Piece(TEXTUAL_THEME, place + 1)
    if clause.form(place + 1) in (".", ")") and ENUMERATOR.fullmatch(form + ")") and place + 2 < clause.count:
        return Piece(TEXTUAL_THEME, place + 2)
    return None


def phrase(clause: EnglishClause, place: int) -> Piece | None:
    """A conjunctive or modal adjunct of several words that is a constituent, or separated by punctuation."""
    structure = clause.structure
    core = (clause.head, structure.subject, structure.finite)
    for forms in LONGER.get(clause.form(place), ()):
        end = place + len(forms)
        if clause.form(place + 1) != forms[1] or tuple(clause.form(number) for number in range(place, end)) != forms:
            continue
        if any(word in core for word in clause.words[place:end]):
            continue
        broken_off = end < clause.count and clause.constituent(end) == clause.constituent(place)
        if clause.is_punctuation(end) or not broken_off:
            return Piece(TEXTUAL_THEME if " ".join(forms) in TEXTUAL else INTERPERSONAL_THEME, end)
    return None


def wh_group(clause: EnglishClause, place: int) -> Piece | None:
    """A wh-group at the beginning of a question or dependent clause: the words up to the finite, the subject or the
    verb.

    In an adverbial clause the wh-word is a conjunction ("when he came").
    """
    tree, structure = clause.tree, clause.structure
    wh, head = structure.wh, clause.head
    if wh is None or wh < clause.words[place]:
        return None
    if clause.mood != "wh" and _is_conjunction(clause, wh):
        return Piece(TEXTUAL_THEME, place + 1) if wh == clause.words[place] else None
    if clause.mood != "wh" and not structure.bound:
        return None
    if wh != clause.words[place] and not tree.leads_to(wh, clause.constituent(place)):
        return None
    own = clause.constituent(clause.words.index(wh))
    if tree.relations[own] in SUBJECTS:
        return Piece(TOPICAL_THEME, clause.end_of(place))
    end = place
    while end < clause.count:
        word = clause.words[end]
        if word > wh:
            if tree.relations[clause.constituent(end)] in (*FINITES, *SUBJECTS, "punct"):
                break
            if tree.lower[word] in NEGATIONS or tree.is_infinitive_marker(word):
                break
            if word == head and tree.is_verb(head):
                break
        end += 1
    return Piece(TOPICAL_THEME, end)


def _is_conjunction(clause: EnglishClause, wh: int) -> bool:
    tree, head = clause.tree, clause.head
    if tree.relations[wh] != "advmod" or tree.heads[wh] != head:
        return False
    if tree.syntax.deprels[tree.first_conjunct(head)] == "advcl":
        return True
    return not clause.structure.bound and tree.lower[wh] in CONJUNCTIONS


def predicate(clause: EnglishClause, place: int) -> Piece:
    """The piece at a word of the verb group, or of the nominal or adjectival predicate.

    It is the rheme, with three exceptions: the verb of an imperative; the finite before the subject, which is
    interpersonal; a predicate before its finite and subject ("Gone are the days").
    """
    tree, structure, word = clause.tree, clause.structure, clause.words[place]
    if clause.mood == "imperative":
        return _imperative(clause, place)
    subject = structure.subject
    if subject is None or subject < word or tree.relations[subject] == "csubj" or clause.mood == "minor":
        return Piece(RHEME, place)
    if word == structure.finite:
        end = place + 1
        while clause.form(end) in NEGATIONS:
            end += 1
        return Piece(INTERPERSONAL_THEME, end)
    if tree.relations[word] in FINITES or structure.finite is None:
        return Piece(RHEME, place)  # "said Anna" after the quotation
    end = place + 1
    while end < clause.count and clause.words[end] not in (structure.finite, subject):
        end += 1
    return Piece(TOPICAL_THEME, end, marked=True)


def _imperative(clause: EnglishClause, place: int) -> Piece:
    """The verb with "do n't" before it, and "let 's"."""
    verb = clause.structure.verb
    end = place + 1
    while end < clause.count and verb is not None and clause.words[end] <= verb:
        end += 1
    if clause.form(end - 1) == "let" and clause.form(end) in ("'s", "us"):
        end += 1
    return Piece(TOPICAL_THEME, end)


def subject(clause: EnglishClause, place: int) -> Piece:
    """The subject, "there" and "it" of existential and extraposed clauses, the predicated theme of a cleft."""
    if clause.mood == "minor":
        return Piece(RHEME, place)
    end = cleft(clause, place) if clause.form(place) == "it" else resumption(clause, place)
    return Piece(TOPICAL_THEME, end or clause.end_of(place))


def cleft(clause: EnglishClause, place: int) -> int:
    """End of the predicated theme of a cleft, "It was John" before "who left"; 0 without one.

    If "it" is not marked as an expletive, only a name or a personal pronoun counts: in "It was a dog that barked", "it"
    may refer to something.
    """
    tree, structure = clause.tree, clause.structure
    head, finite = clause.head, structure.finite
    if finite is None or tree.relations[finite] != "cop":
        return 0
    named = tree.syntax.upos[head] == "PROPN" or tree.syntax.xpos[head] == "PRP"
    wanted = {"advcl:relcl"} if tree.relations[clause.words[place]] == "expl" else {"acl:relcl"} if named else set()
    relative = next((child for child in tree.children[head] if tree.syntax.deprels[child] in wanted), None)
    if relative is None:
        return 0
    return next((end for end in range(place, clause.count) if tree.leads_to(clause.words[end], relative)), clause.count)


def resumption(clause: EnglishClause, place: int) -> int:
    """End of a subject pronoun that resumes the group before it ("My brother, he left"); 0 without one."""
    end = clause.end_of(place)
    while clause.is_closing(end):
        end += 1
    if end == clause.count:
        return 0
    pronoun = clause.constituent(end)
    is_subject = clause.tree.relations[pronoun] in SUBJECTS and clause.tree.syntax.upos[pronoun] == "PRON"
    return clause.end_of(end) if is_subject else 0
