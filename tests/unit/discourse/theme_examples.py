"""English clauses with their syntax, mood and themes, checked by hand; they stand in theme_examples.txt.

Each example has three parts. First the moods of its clauses, in the order of their first words, ``*`` after that of a
clause with a marked theme. Then the words: ``|`` separates discourse units, and within one ``~`` ends a textual,
``=`` an interpersonal and ``/`` a topical theme; the rest is rheme. Then the syntax: form, tag (``IMP`` for a base form
with the feature ``Mood=Imp``), relation and head (from 1) of each word.
"""

from dataclasses import dataclass
from pathlib import Path

from discourse_nmt.discourse.structures.mentions import Span
from discourse_nmt.discourse.structures.syntax import Syntax

MARKS = {"~": "theme-textual", "=": "theme-interpersonal", "/": "theme-topical"}
FINITE = ("VBZ", "VBP", "VBD", "MD")
FEATURES = {"IMP": "Mood=Imp|VerbForm=Fin", "VB": "VerbForm=Inf", **dict.fromkeys(FINITE, "VerbForm=Fin")}
LEMMAS = {
    form: lemma
    for lemma, forms in {"be": "am are is was were been 's", "have": "has had", "do": "does did"}.items()
    for form in forms.split()
}
KINDS = {
    "ADJ": "JJ JJR JJS", "ADV": "RB RBR WRB", "INTJ": "UH", "NOUN": "NN NNS", "NUM": "CD", "PRON": "PRP EX WP WDT",
    "PROPN": "NNP", "VERB": "IMP MD VB VBD VBG VBN VBP VBZ",
}  # fmt: skip
UPOS = {tag: kind for kind, tags in KINDS.items() for tag in tags.split()}


@dataclass(frozen=True)
class Example:
    """One sentence: what it looks like, its syntax and units, its moods (with ``*``) and the label of each word."""

    text: str
    syntax: Syntax
    edus: tuple[Span, ...]
    moods: tuple[str, ...]
    labels: tuple[str, ...]


def syntax_of(columns: str) -> Syntax:
    """The syntax written as ``form_tag_relation_head``, words separated by blanks."""
    words = [word.rsplit("_", 3) for word in columns.split()]
    forms, tags, deprels, heads = zip(*words, strict=True)
    auxiliary = [deprel.split(":")[0] in ("aux", "cop") for deprel in deprels]
    return Syntax(
        forms=forms,
        upos=tuple("AUX" if is_auxiliary else UPOS.get(tag, "X") for tag, is_auxiliary in zip(tags, auxiliary)),
        xpos=tuple("VB" if tag == "IMP" else tag for tag in tags),
        features=tuple(FEATURES.get(tag, "_") for tag in tags),
        lemmas=tuple(LEMMAS.get(form.lower(), form.lower()) for form in forms),
        heads=tuple(int(head) - 1 for head in heads),
        deprels=deprels,
    )


def example_of(block: str) -> Example:
    """The example written in three parts."""
    moods, text, *columns = block.strip().split("\n")
    syntax = syntax_of(" ".join(columns))
    labels: list[str] = []
    edus: list[Span] = []
    words = edu_start = 0
    for token in [*text.split(), "|"]:
        if token == "|":
            labels += ["rheme"] * (words - len(labels))
            edus.append(Span(0, edu_start, words))
            edu_start = words
        elif token in MARKS:
            labels += [MARKS[token]] * (words - len(labels))
        else:
            assert token == syntax.forms[words], text
            words += 1
    return Example(text, syntax, tuple(edus), tuple(moods.split(", ")), tuple(labels))


FILE = Path(__file__).with_suffix(".txt")
EXAMPLES = [example_of(block) for block in FILE.read_text(encoding="utf-8").strip().split("\n\n")]
