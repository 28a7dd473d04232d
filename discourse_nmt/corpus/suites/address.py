"""Items of address, made from a corpus: sentences whose translation shows how a character says *you*.

A sentence is an item if its source has a word for *you* and its translation words of one form of address alone. Its
context is the scene up to it. The form is that of the words: capitals, as in German *Ihr* to one person, make no other
form, as generation accuracy compares in lower case. docs/notebook/study/stories.md has the errors of these rules.
"""

import re
from collections.abc import Iterator, Mapping

import pandas as pd

from discourse_nmt.base.errors import InputError
from discourse_nmt.corpus.suites.made_items import MadeItem, made_item, pairs_of, scenes, speaker_of

WORD = re.compile(r"\w+")
YOU = {"you", "your", "yours", "yourself", "yourselves", "ye", "yer", "thou", "thee", "thy", "thine", "thyself"}
OTHERS = {"she", "her", "hers", "herself", "they", "them", "their", "theirs", "themselves"}
FORMS: Mapping[str, Mapping[str, list[str]]] = {
    "de": {
        "du": ["du", "dich", "dir", "dein", "deine", "deinem", "deinen", "deiner", "deines", "deins"],
        "ihr": ["ihr", "euch", "euer", "eure", "eurem", "euren", "eurer", "eures", "eurs"],
    },
    "es": {
        "tú": ["tú", "te", "ti", "contigo", "tu", "tus", "tuyo", "tuya", "tuyos", "tuyas"],
        "vos": ["vos", "vosotros", "vosotras", "os", "vuestro", "vuestra", "vuestros", "vuestras"],
        "usted": ["usted", "ustedes"],
    },
    "fr": {
        "tu": ["tu", "te", "toi", "ton", "ta", "tes", "tien", "tienne", "tiens", "tiennes"],
        "vous": ["vous", "votre", "vos", "vôtre", "vôtres"],
    },
    "ru": {
        "ты": [
            *("ты", "тебя", "тебе", "тобой", "тобою", "твой", "твоя", "твоё", "твое", "твои", "твоего", "твоей"),
            *("твоему", "твоим", "твоём", "твоем", "твоих", "твоими", "твою", "твоею"),
        ],
        "вы": [
            *("вы", "вас", "вам", "вами", "ваш", "ваша", "ваше", "ваши", "вашего", "вашей"),
            *("вашему", "вашим", "вашем", "ваших", "вашими", "вашу", "вашею"),
        ],
    },
}
"""The words of each form, by language."""
UNSURE: Mapping[str, Mapping[str, tuple[re.Pattern[str], re.Pattern[str]]]] = {
    "de": {"ihr": (re.compile(r"\w+t|[Ss]eid"), re.compile("[a-zäöüß]+t|seid"))}
}
"""Words that may mean somebody else. Behind or before such a verb they do not, where the source has no word of
:data:`OTHERS`.
"""


def address_items(sentences: pd.DataFrame, language: str) -> Iterator[MadeItem]:
    """The items of a ``sentences`` table whose target is in ``language``, in order, with the rules ``address/FORM``.

    Their distance leads to the last sentence of the scene in which the same speaker addressed somebody in one form.
    What is said twice in a scene, in the branches of a script, is one item. Raises :class:`InputError` for a language
    whose forms are not known.
    """
    if language not in FORMS:
        raise InputError(f"forms of address of {language} are not known", remedy=f"choose from {', '.join(FORMS)}")
    for rows in scenes(sentences):
        pairs = pairs_of(rows)
        last: dict[str | None, int] = {}  # place of each speaker's last sentence with a form
        for place, (row, pair) in enumerate(zip(rows, pairs)):
            form = form_of_address(*pair, language)
            if form is None:
                continue
            speaker = speaker_of(row)
            if pair not in pairs[:place]:
                distance = place - last[speaker] if speaker and speaker in last else None
                yield made_item(rows, place, f"address/{form}", FORMS[language][form], distance)
            last[speaker] = place


def form_of_address(source: str, target: str, language: str) -> str | None:
    """The form in which ``target`` addresses somebody; None if the source has no *you*, or the target not one form."""
    originals, words = set(WORD.findall(source.lower())), WORD.findall(target)
    if not originals & YOU:
        return None
    unsure = UNSURE.get(language, {})
    sure, seen = set[str](), set[str]()
    for place, word in enumerate(map(str.lower, words)):
        forms = {form for form, of_form in FORMS[language].items() if word in of_form}
        seen |= forms
        if word in unsure:
            beside = zip(unsure[word], (words[place - 1 : place], words[place + 1 : place + 2]))
            if originals & OTHERS or not any(one.fullmatch("".join(other)) for one, other in beside):
                continue
        sure |= forms
    return sure.pop() if sure == seen and len(sure) == 1 else None
