"""The dependency tree of a sentence, with the tests that the rules need."""

from collections.abc import Sequence
from functools import cache

from discourse_nmt.discourse.structures.syntax import Syntax
from discourse_nmt.discourse.structures.trees import StructureError

SUBJECTS = frozenset({"nsubj", "csubj", "expl"})
FINITES = frozenset({"aux", "cop"})
# Relations whose dependents are clauses; for conj and parataxis see :meth:`SentenceTree.is_clause`.
CLAUSES = frozenset({"root", "ccomp", "csubj", "advcl", "acl", "xcomp", "parataxis", "list", "dep"})
# Relations within a nominal or adjectival group: they do not make their dependent a constituent of the clause.
INTERNAL = frozenset(
    {
        "det", "amod", "nummod", "nmod", "case", "compound", "flat",
        "fixed", "goeswith", "appos", "acl", "conj", "orphan",
    }
)  # fmt: skip
NEGATIONS = frozenset({"not", "n't", "nt"})
WH_TAGS = frozenset({"WDT", "WP", "WP$", "WRB"})


@cache
def _base(deprel: str) -> str:
    return deprel.partition(":")[0]


@cache
def _folded(form: str) -> str:
    return form.lower().replace("’", "'").replace("`", "'")


class SentenceTree:
    """One sentence: its :class:`Syntax`, relations without subtypes, forms in lower case with straight apostrophes, and
    the children of each word in text order.

    Raises :class:`StructureError` naming the sentence (``number``, from 0) if words have no dependencies.
    """

    def __init__(self, number: int, syntax: Syntax) -> None:
        self.number = number
        self.syntax = syntax
        self.heads = syntax.heads
        self.relations = [_base(deprel) for deprel in syntax.deprels]
        self.lower = [_folded(form) for form in syntax.forms]
        self.children: list[list[int]] = [[] for _ in syntax.heads]
        for word, head in enumerate(syntax.heads):
            if head >= 0:
                self.children[head].append(word)
        if syntax.deprels and "root" not in self.relations:
            raise StructureError(f"sentence {number} has no syntactic analysis, which themes need")

    def depth(self, word: int) -> int:
        """Edges between a word and the root."""
        depth = 0
        while self.heads[word] >= 0:
            word = self.heads[word]
            depth += 1
        return depth

    def is_clause(self, word: int) -> bool:
        """Whether the word is the head of a clause, by its relation and, for a conjunct, by its dependents."""
        relation = self.relations[word]
        if relation in CLAUSES:
            return True
        if relation != "conj":
            return False
        if self.is_verb(word):
            return True
        return any(self.relations[child] in SUBJECTS or self.relations[child] == "cop" for child in self.children[word])

    def has(self, word: int, relation: str) -> bool:
        """Whether a word has a dependent of that relation (without subtype)."""
        return any(self.relations[child] == relation for child in self.children[word])

    def has_relative_clause(self, word: int) -> bool:
        """Whether a relative clause depends on a word."""
        return any(self.syntax.deprels[child] in ("acl:relcl", "advcl:relcl") for child in self.children[word])

    def is_infinitive_marker(self, word: int) -> bool:
        """Whether the word is the *to* before an infinitive, which is part of the verb."""
        return self.relations[word] == "mark" and self.syntax.xpos[word] == "TO"

    def is_conjunction(self, word: int) -> bool:
        """Whether the word joins a subordinate clause: *that*, *because*."""
        return self.relations[word] == "mark" and self.syntax.xpos[word] != "TO"

    def is_verb(self, word: int) -> bool:
        """Whether the word is a verb, main or auxiliary."""
        return self.syntax.upos[word] in ("VERB", "AUX")

    def is_finite(self, word: int) -> bool:
        """Whether the word is a finite verb."""
        return "VerbForm=Fin" in self.syntax.features[word]

    def first_conjunct(self, word: int) -> int:
        """The word itself, or the first of the words it is coordinated with."""
        while self.relations[word] == "conj" and self.heads[word] >= 0:
            word = self.heads[word]
        return word

    def leads_to(self, word: int, ancestor: int) -> bool:
        """Whether ``ancestor`` is the word or above it."""
        while word >= 0:
            if word == ancestor:
                return True
            word = self.heads[word]
        return False

    def asks(self, words: Sequence[int]) -> bool:
        """Whether there is a question mark among the words, or at the end of their sentence."""
        if "?" not in self.lower:
            return False
        return "?" in self.lower[-3:] or any(self.lower[word] == "?" for word in words)
