"""Merging of words that are no pieces of the text, or too small ones, into written words; division of too large ones.

German *zum* is two words in Universal Dependencies (*zu* + *dem*), neither of which is in the text, and
*Social-Media-Nutzer* is five words. The words of the analysers are pieces of the text, and the German treebank with
discourse units does not divide such words.
French *50 000* is one word there, but white space always separates the words of the analysers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

from discourse_nmt.discourse.formats.conllu import EMPTY, ConlluRow, Sentence


def merge_contractions(sentence: Sentence) -> Sentence:
    """The sentence with one word for each multiword token that is not the concatenation of its words.

    The word has the form and spacing of the token; tags, lemma, head and relation are those of its word nearest to the
    root. Other multiword tokens (*do* + *n't*) stay.
    """
    words = {row.id: row for row in sentence.words}
    runs = []
    for row in sentence.rows:
        if "-" not in row.id:
            continue
        run = [words[number] for number in _numbers(row)]
        if "".join(word.form for word in run) != row.form:
            runs.append((run, replace(_top(run, words), form=row.form, misc=row.misc)))
    return _merged(sentence, runs)


def merge_hyphenated(sentence: Sentence) -> Sentence:
    """The sentence with one word for the parts of each hyphenated word, if there are no spaces between them.

    The lemma is that of the last part after the forms of the other parts; tags, head and relation are those of the part
    nearest to the root. A part after a hyphen begins with a letter or digit.
    """
    words = {row.id: row for row in sentence.words}
    inside = {number for row in sentence.rows if "-" in row.id for number in _numbers(row)}
    runs: list[tuple[list[ConlluRow], ConlluRow]] = []
    run: list[ConlluRow] = []
    for word in (*sentence.words, None):
        if word is not None and word.id not in inside and _continues(run, word):
            run.append(word)
            continue
        while run and run[-1].form == "-":
            run.pop()
        if len(run) > 2:
            form = "".join(part.form for part in run)
            lemma = form[: -len(run[-1].form)] + run[-1].lemma
            runs.append((run, replace(_top(run, words), form=form, lemma=lemma, misc=run[-1].misc)))
        run = [word] if word is not None and word.id not in inside and word.form != "-" else []
    return _merged(sentence, runs)


def divide_spaced(sentence: Sentence) -> Sentence:
    """The sentence with a word for each piece of a word with spaces inside (*50 000*).

    The first piece keeps tags, head and relation; the others have its tags and depend on it as ``flat``. The lemma of
    each piece is its form.
    """
    pieces = {word.id: word.form.split() for word in sentence.words}
    if all(len(forms) == 1 for forms in pieces.values()):
        return sentence
    ends = dict(zip(pieces, accumulate(map(len, pieces.values()))))
    places = {"0": 0, **{number: end - len(pieces[number]) + 1 for number, end in ends.items()}}
    rows: list[ConlluRow] = []
    for row in sentence.rows:
        begin, dash, last = row.id.partition("-")
        if dash:
            rows.append(replace(row, id=f"{places[begin]}-{ends[last]}"))
        elif row.id in pieces:
            forms, first = pieces[row.id], places[row.id]
            word = replace(row, id=str(first), head=str(places[row.head]))
            if len(forms) > 1:
                word = replace(word, form=forms[0], lemma=forms[0], misc=EMPTY)
            rows.append(word)
            for place, form in enumerate(forms[1:], start=first + 1):
                piece = replace(word, id=str(place), form=form, lemma=form, head=str(first), deprel="flat")
                rows.append(replace(piece, misc=row.misc if place == ends[row.id] else EMPTY))
    return Sentence(sentence.comments, tuple(rows))


def _numbers(row: ConlluRow) -> list[str]:
    """Ids of the words of a multiword token."""
    first, _, last = row.id.partition("-")
    return [str(number) for number in range(int(first), int(last) + 1)]


def _continues(run: Sequence[ConlluRow], word: ConlluRow) -> bool:
    """Whether ``word`` continues the hyphenated word ``run``: hyphens and parts alternate, without spaces."""
    if not run or "SpaceAfter=No" not in run[-1].misc.split("|"):
        return False
    return word.form == "-" if run[-1].form != "-" else word.form[0].isalnum()


def _top(run: Sequence[ConlluRow], words: Mapping[str, ConlluRow]) -> ConlluRow:
    """The word of the run nearest to the root, the first of several; with its head, the result is a tree."""
    return min(run, key=lambda word: _depth(word, words))


def _depth(word: ConlluRow, words: Mapping[str, ConlluRow]) -> int:
    depth = 0
    while word.head in words:
        word, depth = words[word.head], depth + 1
    return depth


def _merged(sentence: Sentence, runs: Sequence[tuple[Sequence[ConlluRow], ConlluRow]]) -> Sentence:
    """The sentence with each run of words replaced by one word, and words renumbered."""
    if not runs:
        return sentence
    merged = {run[0].id: word for run, word in runs}
    first = {word.id: run[0].id for run, _ in runs for word in run}
    places: dict[str, str] = {"0": "0"}
    for word in sentence.words:
        begins = first.get(word.id, word.id)
        places[word.id] = places[begins] if begins in places else str(len(set(places.values())))
    rows = []
    for row in sentence.rows:
        start, dash, end = row.id.partition("-")
        if dash and start not in first:
            rows.append(replace(row, id=f"{places[start]}-{places[end]}"))
        elif row.id.isdigit() and first.get(row.id, row.id) == row.id:
            word = merged.get(row.id, row)
            rows.append(replace(word, id=places[row.id], head=places.get(word.head, word.head)))
    return Sentence(sentence.comments, tuple(rows))
