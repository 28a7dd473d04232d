"""Scripts and languages of texts that are said to be in another one."""

import pytest

from discourse_nmt.quality.languages import has_known_script, in_other_script, judged, other_language, unlike

TEXTS = {
    "en": "The weather was cold and it had been raining for days. She opened the door, and there was nobody outside.",
    "de": "Das Wetter war kalt, und es hatte tagelang geregnet. Sie öffnete die Tür, aber draußen war niemand.",
    "fr": "Il faisait froid et il pleuvait depuis des jours. Elle ouvrit la porte, mais il n'y avait personne dehors.",
    "ru": "Погода была холодная, и дождь шёл уже несколько дней. Она открыла дверь, но снаружи никого не было видно.",
    "zh": "天气很冷，已经下了好几天的雨。她打开门，外面一个人也没有。" * 4,
}


@pytest.mark.parametrize("language", TEXTS)
def test_a_text_is_in_its_language_alone(language: str) -> None:
    assert judged([TEXTS[language]] * 2, language) == language
    for other in TEXTS.keys() - {language}:
        assert other_language([TEXTS[language]] * 2, other) == language


def test_short_texts_unknown_languages_and_numbers_are_not_judged() -> None:
    assert judged([TEXTS["de"][:50]], "en") is None
    assert judged([TEXTS["de"]], "xxx") is None
    assert other_language(["a1b2c3 d4e5f6 0a9b8c " * 12], "en") is None


def test_languages_that_are_written_alike_are_no_doubt() -> None:
    norwegian = (
        "Været var kaldt, og det hadde regnet i flere dager. Hun åpnet døren, men det var ingen der ute i natten."
    )
    assert {other_language([norwegian] * 2, code) for code in ("no", "nb", "da")} == {None}
    assert other_language([norwegian] * 2, "de") in ("no", "nb", "da")


@pytest.mark.parametrize(
    ("text", "language", "other"),
    [
        ("Привет", "ru", False),
        ("Привет", "en", True),
        ("hello", "ru", True),
        ("GNOME Shell 启动", "zh", False),  # a name among ideographs
        ("東京へ行きます", "ja", False),
        ("ありがとう", "zh", True),
        ("Zdravo", "sr", False),  # two scripts
        ("Здраво", "sr", False),
        ("42 %", "ru", False),  # no letters
        ("hello", "xxx", False),  # of no known script
    ],
)
def test_scripts_of_languages(text: str, language: str, other: bool) -> None:
    assert in_other_script(text, language) is other


def test_a_language_without_an_entry_in_unicode_has_no_known_script() -> None:
    assert has_known_script("ka") and not has_known_script("xxx")


def test_a_doubt_is_told_by_language_or_else_by_script() -> None:
    assert unlike(2 * TEXTS["de"], "en") == "this looks like de, not en"
    assert unlike("Привет", "en") == "this is not in the script of en"
    assert unlike(TEXTS["en"], "en") == ""
