"""Lemmas as edits of the form: rules change case and ending of a form, so that they apply to unseen words.

A rule is ``CASE:OLD>NEW`` (change the case, then replace the ending OLD by NEW), or ``=LEMMA`` for a lemma without a
common beginning with the form (*went*, *go*). CASE is ``k`` (keep), ``l`` (lower) or ``t`` (first letter upper, others
lower).
"""


def _cased(form: str, case: str) -> str:
    if case == "l":
        return form.lower()
    return form[:1].upper() + form[1:].lower() if case == "t" else form


def lemma_rule(form: str, lemma: str) -> str:
    """The rule from ``form`` to ``lemma``: the case change with the longest common beginning, and the shortest edit of
    the ending."""
    best, longest = "k", -1
    for case in "klt":
        cased = _cased(form, case)
        common = 0
        while common < min(len(cased), len(lemma)) and cased[common] == lemma[common]:
            common += 1
        if common > longest:
            best, longest = case, common
    if longest == 0 or ">" in lemma[longest:]:
        return f"={lemma}"
    return f"{best}:{_cased(form, best)[longest:]}>{lemma[longest:]}"


def apply_rule(form: str, rule: str) -> str | None:
    """The lemma of ``form`` by ``rule``; None if the form does not have the ending that the rule replaces."""
    if rule.startswith("="):
        return rule[1:]
    case, edit = rule.split(":", 1)
    old, new = edit.rsplit(">", 1)
    cased = _cased(form, case)
    if not cased.endswith(old) or len(old) == len(cased) > 0:
        return None
    return cased[: len(cased) - len(old)] + new
