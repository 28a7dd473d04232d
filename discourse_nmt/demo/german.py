"""German inflection and word order for the sentences of the demo.

A clause has three fields: the part before the finite verb, the finite verb, and the rest. A connective in the first
position moves the first field behind the verb (verb-second order).
"""

import re

GENDERS = ("m", "f", "n")

_DEFINITE = {
    "nom": {"m": "der", "f": "die", "n": "das"},
    "akk": {"m": "den", "f": "die", "n": "das"},
    "dat": {"m": "dem", "f": "der", "n": "dem"},
}
_POSSESSIVE_ENDINGS = {
    "nom": {"m": "", "f": "e", "n": ""},
    "akk": {"m": "en", "f": "e", "n": ""},
    "dat": {"m": "em", "f": "er", "n": "em"},
}
_PERSONAL = {
    "nom": {"m": "er", "f": "sie", "n": "es"},
    "akk": {"m": "ihn", "f": "sie", "n": "es"},
    "dat": {"m": "ihm", "f": "ihr", "n": "ihm"},
}
_POSSESSOR = {"m": "sein", "f": "ihr", "n": "sein"}
_CONTRACTIONS = {"in": "im", "an": "am", "von": "vom", "zu": "zum", "bei": "beim"}


def definite(case: str, gender: str) -> str:
    """Definite article, singular."""
    return _DEFINITE[case][gender]


def inflected(stem: str, case: str, gender: str) -> str:
    """``ein``, ``mein``, ``sein`` or ``ihr`` before a singular noun of that case and gender."""
    return stem + _POSSESSIVE_ENDINGS[case][gender]


def adjective(stem: str, article: str, case: str, gender: str) -> str:
    """Attributive adjective, singular: weak after ``der``, mixed after ``ein``."""
    if case == "dat" or (case, gender) == ("akk", "m"):
        return stem + "en"
    if article == "ein" and gender != "f":
        return stem + {"m": "er", "n": "es"}[gender]
    return stem + "e"


def personal(case: str, gender: str) -> str:
    """Third-person singular pronoun."""
    return _PERSONAL[case][gender]


def possessor(gender: str) -> str:
    """Stem of the possessive of a third-person singular possessor of that gender."""
    return _POSSESSOR[gender]


def clause(template: str, connective: str = "", inverts: bool = True) -> str:
    """Order the fields of ``first ^ verb ^ rest``; ``@`` in the rest is the position of the first field after the verb.

    An inverting ``connective`` takes the first position; any other one precedes the clause and moves nothing. Without
    ``@``, the first field follows the verb directly.
    """
    fields = [field.strip() for field in template.split("^")]
    if len(fields) != 3:
        raise ValueError(f"not three fields: {template}")
    first, verb, rest = fields
    if not connective or not inverts:
        words = [connective, first, verb, rest.replace("@", "")]
    elif "@" in rest:
        words = [connective, verb, rest.replace("@", first)]
    else:
        words = [connective, verb, first, rest]
    return " ".join(" ".join(words).split())


def finished(text: str) -> str:
    """Contract preposition and article, set punctuation tight, begin with a capital."""
    text = re.sub(r"\b(in|an|von|zu|bei) dem\b", lambda match: _CONTRACTIONS[match[1]], text)
    text = re.sub(r"\bzu der\b", "zur", text)
    text = re.sub(r",+(?=\s*[,.])", "", re.sub(r"\s+([,.])", r"\1", " ".join(text.split())))
    return text[0].upper() + text[1:]
