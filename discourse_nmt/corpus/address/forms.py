"""The words of each form of address, by language: *du* and *ihr*, *tú*, *vos* and *usted*, and so on.

Capitals, as in German *Ihr* to one person, make no other form, as generation accuracy compares in lower case.
docs/notebook/study/stories.md has the errors of these rules.
"""

import re
from collections.abc import Mapping

from discourse_nmt.base.errors import InputError

SOURCE_LANGUAGE = "en"
WORD = re.compile(r"\w+")
YOU = {"you", "your", "yours", "yourself", "yourselves", "ye", "yer", "thou", "thee", "thy", "thine", "thyself"}
OTHERS = {"she", "her", "hers", "herself", "they", "them", "their", "theirs", "themselves"}
# Singular and plural of verbs that are frequent in the corpora and are no other words. Imperatives are left out, as
# those to one person are also statements about others. So is ves, "you see", which is often said to nobody.
SPANISH_VERBS = """
eres sois, eras erais, fuiste fuisteis, serás seréis, serías seríais, seas seáis, estás estáis, estabas estabais,
estarás estaréis, estarías estaríais, estés estéis, has habéis, habías habíais, habrás habréis, habrías habríais,
hayas hayáis, hubieras hubierais, tienes tenéis, tenías teníais, tuviste tuvisteis, tendrás tendréis, tengas tengáis,
puedes podéis, podías podíais, pudiste pudisteis, podrás podréis, podrías podríais, puedas podáis, debes debéis,
deberás deberéis, deberías deberíais, quieres queréis, querías queríais, querrías querríais, quieras queráis, sabes
sabéis, sabías sabíais, sabrás sabréis, sepas sepáis, haces hacéis, hiciste hicisteis, harás haréis, harías haríais,
hagas hagáis, dices decís, decías decíais, dijiste dijisteis, dirás diréis, digas digáis, vas vais, ibas ibais, irás
iréis, vayas vayáis, vienes venís, viniste vinisteis, vendrás vendréis, vengas vengáis, crees creéis, piensas pensáis,
necesitas necesitáis, necesitarás necesitaréis, encontrarás encontraréis, verás veréis, conoces conocéis, pareces
parecéis, dejes dejéis, preocupes preocupéis, morirás moriréis, atreves atrevéis
"""
TU, VOS = zip(*(pair.split() for pair in SPANISH_VERBS.split(",")))
FORMS: Mapping[str, Mapping[str, list[str]]] = {
    "de": {
        "du": ["du", "dich", "dir", "dein", "deine", "deinem", "deinen", "deiner", "deines", "deins"],
        "ihr": ["ihr", "euch", "euer", "eure", "eurem", "euren", "eurer", "eures", "eurs"],
    },
    "es": {
        "tú": ["tú", "te", "ti", "contigo", "tu", "tus", "tuyo", "tuya", "tuyos", "tuyas", *TU],
        "vos": ["vos", "vosotros", "vosotras", "os", "vuestro", "vuestra", "vuestros", "vuestras", *VOS],
        "usted": ["usted", "ustedes"],
    },
    "fr": {
        # Without tiens, which is also "there!" and "I hold".
        "tu": ["tu", "te", "toi", "ton", "ta", "tes", "tien", "tienne", "tiennes"],
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
EXCLAMATIONS: Mapping[str, re.Pattern[str]] = {"ru": re.compile(r"\b(?:ух|ишь) ты\b", re.IGNORECASE)}
"""Words that address nobody, by language."""


def are_known(source: str, target: str) -> bool:
    """Whether the words of address of both languages are known."""
    return source == SOURCE_LANGUAGE and target in FORMS


def check_languages(source: str, target: str) -> None:
    """Raise :class:`InputError` for languages whose words of address are not known."""
    if source != SOURCE_LANGUAGE:
        raise InputError(f"words for you of {source} are not known", remedy=f"the source must be {SOURCE_LANGUAGE}")
    if target not in FORMS:
        raise InputError(f"forms of address of {target} are not known", remedy=f"choose from {', '.join(FORMS)}")


def says_you(source: str) -> bool:
    """Whether an English sentence has a word for *you*."""
    return not YOU.isdisjoint(WORD.findall(source.lower()))


def form_of_address(source: str, target: str, language: str) -> str | None:
    """The form in which ``target`` addresses somebody; None if the source has no *you*, or the target not one form."""
    of_others = not OTHERS.isdisjoint(WORD.findall(source.lower()))
    return form_in(target, language, of_others) if says_you(source) else None


def form_in(target: str, language: str, of_others: bool = False) -> str | None:
    """The only form whose words ``target`` has; None without one. Unsure words count unless it may be ``of_others``."""
    if language in EXCLAMATIONS:
        target = EXCLAMATIONS[language].sub("", target)
    words = WORD.findall(target)
    unsure = UNSURE.get(language, {})
    sure, seen = set[str](), set[str]()
    for place, word in enumerate(map(str.lower, words)):
        forms = {form for form, of_form in FORMS[language].items() if word in of_form}
        seen |= forms
        if word in unsure:
            beside = zip(unsure[word], (words[place - 1 : place], words[place + 1 : place + 2]))
            if of_others or not any(one.fullmatch("".join(other)) for one, other in beside):
                continue
        sure |= forms
    return sure.pop() if sure == seen and len(sure) == 1 else None
