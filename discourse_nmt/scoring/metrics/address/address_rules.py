"""Rules that guess the form of address without a translation: how far repetition alone gets.

They know train, and the references of earlier sentences.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

import pandas as pd

from discourse_nmt.corpus.address.addressed import Addressed, addressed
from discourse_nmt.corpus.address.forms import FORMS
from discourse_nmt.corpus.address.scenes import Row

SIGNATURE = "known:train+earlier-references"
RULES = ("commonest form", "commonest of the speaker", "last in the scene", "last of the speaker")


def judged_rules(train: Iterable[Row], tested: Iterable[Row], language: str) -> dict[str, pd.DataFrame]:
    """A table ``judged_translations`` of each of :data:`RULES`: whether its form is that of the item's reference.

    ``train`` and ``tested`` are rows of tables ``sentences``, in the order of the text. The first two rules have the
    commonest form of train, and of the speaker in train and before in ``tested``; the others repeat the last form in
    the scene, and of the speaker in it. Without any, ``last of the speaker`` is ``last in the scene``, and each other
    rule ``commonest form``.
    """
    rows: list[dict[str, object]] = []
    for sentence, guesses in _guesses(train, tested, language):
        if not sentence.repeated:
            rows.append(
                {
                    "item_id": str(len(rows) + 1),
                    "doc_id": sentence.row["doc_id"],
                    "phenomenon": sentence.phenomenon,
                    "distance": sentence.distance,
                    **{rule: guess == sentence.form for rule, guess in zip(RULES, guesses, strict=True)},
                }
            )
    table = pd.DataFrame(rows, columns=["item_id", "doc_id", "phenomenon", "distance", *RULES])
    items = table.drop(columns=list(RULES)).assign(block=None, has_wrong=None)
    return {rule: items.assign(has_right=table[rule]) for rule in RULES}


def _guesses(
    train: Iterable[Row], tested: Iterable[Row], language: str
) -> Iterator[tuple[Addressed, tuple[str, str, str, str]]]:
    """Each sentence of ``tested`` that addresses somebody, with the form of each rule."""
    of_all = Counter(dict.fromkeys(FORMS[language], 0))
    of_speaker: dict[str | None, Counter[str]] = defaultdict(Counter)
    for scene in addressed(train, language):
        for sentence in scene:
            of_all[sentence.form] += 1
            of_speaker[sentence.speaker][sentence.form] += 1
    commonest = _commonest(of_all)
    for scene in addressed(tested, language):
        last, last_of_speaker = commonest, dict[str | None, str]()
        for sentence in scene:
            own = None if sentence.speaker is None else of_speaker[sentence.speaker]
            spoken = last if sentence.speaker is None else last_of_speaker.get(sentence.speaker, last)
            yield sentence, (commonest, _commonest(own) if own else commonest, last, spoken)
            of_speaker[sentence.speaker][sentence.form] += 1
            last = last_of_speaker[sentence.speaker] = sentence.form


def _commonest(forms: Counter[str]) -> str:
    return forms.most_common(1)[0][0]
