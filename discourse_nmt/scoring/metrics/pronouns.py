"""Pronoun translation accuracy: the share of pronouns with the same translation as in the reference.

It is the accuracy of pronoun translation, APT (Miculicich Werlen and Popescu-Belis 2017), without its lists of
equivalent pronouns.
"""

import pandas as pd

from discourse_nmt.scoring.metrics.bleu import primary
from discourse_nmt.scoring.metrics.score import Score
from discourse_nmt.word_alignment.model import SIGNATURE

# Personal, possessive and reflexive pronouns by source language and group.
GROUPS: dict[str, dict[str, str]] = {
    "en": {
        "I": "i me my mine myself",
        "you": "you your yours yourself yourselves",
        "he": "he him his himself",
        "she": "she her hers herself",
        "it": "it its itself",
        "we": "we us our ours ourselves",
        "they": "they them their theirs themselves",
    },
    "de": {
        "ich": "ich mich mir mein meine meinen meinem meiner meines",
        "du": "du dich dir dein deine deinen deinem deiner deines",
        "er": "er ihn ihm sein seine seinen seinem seiner seines",
        "sie": "sie ihr ihnen ihre ihren ihrem ihrer ihres",
        "es": "es",
        "wir": "wir uns unser unsere unseren unserem unserer unseres",
        "ihr": "euch euer eure euren eurem eurer eures",
    },
    "fr": {
        "je": "je j' me m' moi mon ma mes",
        "tu": "tu te t' toi ton ta tes",
        "il": "il lui le l'",
        "elle": "elle la",
        "son": "son sa ses",
        "nous": "nous notre nos",
        "vous": "vous votre vos",
        "ils": "ils eux elles les leur leurs",
    },
    "zh": {
        "我": "我",
        "你": "你 您",
        "他": "他",
        "她": "她",
        "它": "它",
        "我们": "我们 咱们",
        "你们": "你们",
        "他们": "他们 她们 它们",
    },
}


def pronouns(language: str) -> dict[str, str]:
    """The group of each pronoun of a language, in lower case; empty for a language without a list."""
    groups = GROUPS.get(primary(language), {})
    return {form: group for group, forms in groups.items() for form in forms.split()}


def pronoun_scores(words: pd.DataFrame, language: str) -> list[Score]:
    """Accuracy in per cent and number of pronouns, overall and by group; groups that do not occur are left out.

    ``words`` come from :func:`.translated_words`. A pronoun counts if it is linked with a word of the reference. It is
    wrong if it is linked with no word of the hypothesis.
    """
    known = words.assign(group=words["word"].map(pronouns(language)))
    known = known[known["group"].notna() & (known["reference"] != "")]
    signature = f"pronouns:{primary(language)}|case:lc|{SIGNATURE}"
    scores: list[Score] = []
    for name, rows in [("all", known), *known.groupby("group", sort=True)]:
        if len(rows):
            right = 100 * float((rows["reference"] == rows["hypothesis"]).mean())
            scores += [
                Score(f"pronoun accuracy ({name})", right, signature),
                Score(f"pronouns ({name})", len(rows), "count"),
            ]
    return scores
