"""Words of a multiword token (German *zum* = *zu* + *dem*) as pieces of the token's characters.

In tables, words are consecutive pieces of the raw sentence. The characters of a token are therefore divided among its
words where both agree best: *zu* | *m*, French *d* | *u* for *de* + *le*. If a token has fewer characters than words
(Portuguese *à* = *a* + *a*), the words become one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from discourse_nmt.discourse.structures.mentions import Characters
from discourse_nmt.discourse.structures.syntax import Syntax


@dataclass(frozen=True, slots=True)
class Token:
    """Characters ``[start, end)`` of a token in its sentence, and its words ``[first, last)`` in the analysis."""

    start: int
    end: int
    first: int
    last: int


def divide(token: str, words: Sequence[str]) -> list[Characters]:
    """Characters of each word in its token: consecutive non-empty pieces that cover the token.

    ``token`` must have at least as many characters as words.
    """
    matcher = SequenceMatcher(None, token.lower(), "".join(words).lower(), autojunk=False)
    edits = matcher.get_opcodes()
    cuts = [0]
    reached = 0
    for number, word in enumerate(words[:-1], start=1):
        reached += len(word)
        _, start, end, word_start, _ = next((edit for edit in edits if edit[3] <= reached <= edit[4]), edits[-1])
        cut = min(start + reached - word_start, end)
        cuts.append(min(max(cut, cuts[-1] + 1), len(token) - len(words) + number))
    return list(zip(cuts, [*cuts[1:], len(token)]))


def words_in_text(text: str, tokens: Sequence[Token], syntax: Syntax) -> tuple[list[Characters], Syntax]:
    """Characters of each word of a sentence, and the analysis with the forms found there.

    Of words that become one, the word nearest to the root remains; dependents of the others are re-attached to it.
    """
    ranges: list[Characters] = []
    kept: list[int] = []
    new_index = [0] * len(syntax.forms)
    for token in tokens:
        words = range(token.first, token.last)
        if len(words) > token.end - token.start:
            new_index[token.first : token.last] = [len(kept)] * len(words)
            kept.append(min(words, key=lambda word: _depth(syntax.heads, word)))
            ranges.append((token.start, token.end))
            continue
        new_index[token.first : token.last] = range(len(kept), len(kept) + len(words))
        kept += words
        pieces = divide(text[token.start : token.end], syntax.forms[token.first : token.last])
        ranges += [(token.start + start, token.start + end) for start, end in pieces]
    heads = [syntax.heads[word] for word in kept]
    return ranges, Syntax(
        forms=tuple(text[start:end] for start, end in ranges),
        upos=tuple(syntax.upos[word] for word in kept),
        xpos=tuple(syntax.xpos[word] for word in kept),
        features=tuple(syntax.features[word] for word in kept),
        lemmas=tuple(syntax.lemmas[word] for word in kept),
        heads=tuple(new_index[head] if head >= 0 else -1 for head in heads),
        deprels=tuple(syntax.deprels[word] for word in kept),
    )


def _depth(heads: Sequence[int], word: int) -> int:
    depth = 0
    while word >= 0:
        word, depth = heads[word], depth + 1
    return depth
