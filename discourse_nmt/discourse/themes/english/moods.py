"""The mood of a clause (Halliday and Matthiessen 2014, chapter 4), read from its dependencies."""

from typing import Literal

from discourse_nmt.discourse.themes.division import Unit
from discourse_nmt.discourse.themes.english.adjuncts import TEXTUAL
from discourse_nmt.discourse.themes.pieces import ClauseWords
from discourse_nmt.discourse.themes.sentence import CLAUSES, SUBJECTS, WH_TAGS, SentenceTree

Mood = Literal["declarative", "wh", "polar", "imperative", "minor"]

BOUND = frozenset({"advcl", "acl", "csubj", "xcomp", "ccomp"})
FRONTED_VERBS = frozenset({"be", "have"})
# Relations before the finite of a question; after any other ("Never have I") only a question mark makes a question.
OPENINGS = frozenset({"cc", "mark", "discourse", "vocative", "punct", "reparandum", "parataxis"})
COMMANDED = frozenset({"you", "everybody", "everyone", "somebody", "someone", "nobody"})


class EnglishClause(ClauseWords):
    """The words of an English clause with its mood."""

    def __init__(self, tree: SentenceTree, unit: Unit) -> None:
        super().__init__(tree, unit)
        self.structure = Structure(tree, unit)
        self.mood = mood_of(self.structure)


class Structure:
    """The features that determine the mood of a clause.

    ``constituents`` are the dependents of its head, in text order; ``subject`` and ``finite`` are the first subject and
    the first finite among them, or None; a main verb *be* or *have* before the subject is a finite, too. ``wh`` is the
    first wh-word that belongs to the clause itself, not to a clause inside it. ``bound`` is true for a subordinate
    clause.
    """

    __slots__ = ("bound", "constituents", "finite", "head", "subject", "tree", "unit", "wh")

    def __init__(self, tree: SentenceTree, unit: Unit) -> None:
        self.tree, self.unit, self.head = tree, unit, unit.head
        head, relations, words = unit.head, tree.relations, unit.words
        constituents = tree.children[head]
        if len(words) < len(relations):
            inside = set(words)
            constituents = [child for child in constituents if child in inside]
            if relations[head] == "cop":  # "The problem is": its subject depends on the head of the next clause
                constituents = [word for word in words if tree.heads[word] == tree.heads[head] and word != head]
        self.constituents = constituents
        self.subject = self.finite = None
        verbal = tree.syntax.upos[head] == "VERB"
        for child in constituents:
            relation = relations[child]
            if relation in SUBJECTS and self.subject is None:
                self.subject = child
            elif self.finite is None and (relation == "aux" or (relation == "cop" and not verbal)):
                self.finite = child
            elif tree.is_conjunction(child) or (relation == "advmod" and tree.syntax.xpos[child] in WH_TAGS):
                # A copula of a verb or before a conjunction is that of the clause around: "the problem is | that".
                self.finite = None
        if self.finite is None and (
            relations[head] == "cop"
            or (self.subject is not None and head < self.subject and tree.syntax.lemmas[head] in FRONTED_VERBS)
        ):
            self.finite = head
        self.bound = relations[tree.first_conjunct(head)] in BOUND
        self.wh = self._wh()

    @property
    def verb(self) -> int | None:
        """The verb that is the theme of an imperative: *be* as a copula or auxiliary, else the head."""
        syntax = self.tree.syntax
        for child in self.constituents:
            if syntax.deprels[child] in ("cop", "aux:pass") and syntax.xpos[child] == "VB":
                return child
        return self.head if self.tree.is_verb(self.head) else None

    def _wh(self) -> int | None:
        tree = self.tree
        xpos = tree.syntax.xpos
        for word in self.unit.words:
            if word > self.head:
                return None
            # "What he wants is" opens with a free relative, which is a nominal.
            if xpos[word] in WH_TAGS and not tree.has_relative_clause(word) and self._belongs(word):
                return word
        return None

    def _belongs(self, wh: int) -> bool:
        """Whether no clause is between a wh-word and the head, except one from which it is fronted: "What do you think
        he said?"."""
        tree, word = self.tree, wh
        inverted = self.finite is not None and self.subject is not None and wh < self.finite < self.subject
        while word not in (self.head, -1):
            relation = tree.relations[word]
            fronted = relation in ("ccomp", "xcomp") and inverted
            # The predicate of "How old is she turning?" and "What do you call it?" is no clause.
            nominal = relation in ("xcomp", "dep") and not tree.is_verb(word)
            if relation == "conj" or (relation in CLAUSES and not (fronted or nominal)):
                return False
            word = tree.heads[word]
        return word == self.head


def mood_of(clause: Structure) -> Mood:
    """Mood of a clause.

    Minor clauses have no mood: fragments, exclamations and non-finite clauses without a subject. A subordinate clause
    is declarative or minor. A clause without a subject ("and went home") is declarative if its verb is finite.
    """
    tree, subject, finite, head = clause.tree, clause.subject, clause.finite, clause.head
    if _is_imperative(clause):
        return "imperative"
    inverted = finite is not None and subject is not None and finite < subject and finite <= head
    free = not clause.bound or (tree.relations[head] == "ccomp" and inverted and not tree.has(head, "mark"))
    question = tree.asks(clause.unit.words)
    if free and clause.wh is not None and _asks_wh(clause, question):
        return "wh"
    if free and inverted and finite is not None:
        first = [child for child in clause.constituents if child < finite]
        fronted = any(tree.relations[child] not in OPENINGS and tree.lower[child] not in TEXTUAL for child in first)
        echoed = first and tree.lower[first[-1]] in ("so", "nor", "neither")  # "Nor did I"
        if question or not (fronted or echoed):
            return "polar"
    if subject is not None or tree.is_finite(head) or (finite is not None and tree.is_finite(finite)):
        return "declarative"
    return "minor"


def _asks_wh(clause: Structure, question: bool) -> bool:
    subject, finite, wh = clause.subject, clause.finite, clause.wh
    assert wh is not None
    if subject is None:
        return question
    if finite is not None and wh < finite < subject:
        return True
    return question and (wh < subject or clause.tree.leads_to(wh, subject))


def _is_imperative(clause: Structure) -> bool:
    tree, syntax = clause.tree, clause.tree.syntax
    verb = clause.verb
    if clause.wh is not None or verb is None or (clause.bound and tree.relations[clause.head] != "ccomp"):
        return False
    features = syntax.features[verb]
    if clause.subject is not None:
        return "Mood=Imp" in features and tree.lower[clause.subject] in COMMANDED
    if "Mood=Imp" in features:
        return True
    # The base form, alone or after "do"; taggers often call it an infinitive.
    if syntax.xpos[verb] != "VB" or clause.bound or tree.has(clause.head, "mark") or tree.asks(clause.unit.words):
        return False
    auxiliaries = [tree.lower[child] for child in clause.constituents if syntax.deprels[child] == "aux"]
    first = tree.first_conjunct(clause.head)
    if auxiliaries not in ([], ["do"]) or first == clause.head:
        return auxiliaries in ([], ["do"])
    return syntax.xpos[first] == "VB" and not any(tree.has(first, relation) for relation in ("aux", "mark", "nsubj"))
