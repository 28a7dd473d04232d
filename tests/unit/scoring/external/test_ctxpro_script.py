"""The rule of ctxpro's own script: by hand, and against its literal form on real subtitles."""

import json
import random
from pathlib import Path

import pytest
from sacremoses.corpus import NonbreakingPrefixes

from discourse_nmt.scoring.external.ctxpro_script import has_form, last_sentence
from discourse_nmt.scoring.metrics import generation
from tests.unit.scoring.external.ctxpro_reference import get_last, passes_test


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("Ja. Das glaube ich.", "Das glaube ich."),
        ("Kommst du? Ja!", "Ja!"),
        ("Ja, Dr. Maier kommt.", "Ja, Dr. Maier kommt."),
        ("Am 3. Mai kam er.", "Am 3. Mai kam er."),
        ("Das war Nr. 3 Hier.", "Das war Nr. 3 Hier."),
        ("Er kam aus den U.S.A. Dann ging er.", "Er kam aus den U.S.A. Dann ging er."),
        ("Nun... Ich auch.", "Ich auch."),
        ("Nun... ich auch.", "Nun... ich auch."),
        ("“Ja.” Er kam.", "Er kam."),
        ("„Ja.“ Er kam.", "„Ja.“ Er kam."),  # the splitter knows no German quotation marks
        ("(Er kam.) Sie ging.", "Sie ging."),
        ("Nein. “Doch, er kam", "“Doch, er kam"),
        ("Ja. - Nein.", "Ja. - Nein."),
        ("Es waren zwei. 3 gingen.", "3 gingen."),
        ("", ""),
    ],
)
def test_the_last_sentence_begins_after_the_last_mark_before_a_capital(text: str, last: str) -> None:
    assert last_sentence(text, "de") == last == get_last(text, frozenset(NonbreakingPrefixes().words("de")))


@pytest.mark.parametrize(
    ("text", "last"), [("See No. 3 There.", "See No. 3 There."), ("It is No. That is.", "That is.")]
)
def test_some_abbreviations_are_such_before_a_number_alone(text: str, last: str) -> None:
    assert last_sentence(text, "en") == last == get_last(text, frozenset(NonbreakingPrefixes().words("en")))


def test_one_of_several_forms_is_enough() -> None:
    assert has_form("Das tue ich.", ["glaube", "tue"], "de") and not has_form("Das tue ich.", ["glaube", "mache"], "de")


@pytest.mark.parametrize(
    ("output", "form", "by_script", "by_words"),
    [
        ("Ja, das GLAUBE ich.", "glaube", True, True),
        ("Ich glaube. Er kommt.", "glaube", False, True),
        ("Est-elle là ?", "elle", False, True),
        ("„Sie kommt.“", "sie", False, True),
        ("Das (glaube) ich.", "Glaube", True, True),
        ("Ja, tu ich doch.", "tu ich", True, True),
        ("unglaube", "glaube", False, False),
    ],
)
def test_the_script_removes_marks_where_the_project_divides_words(
    output: str, form: str, by_script: bool, by_words: bool
) -> None:
    assert has_form(output, [form], "fr") == by_script
    assert generation.has_form(output, [form]) == by_words


def test_a_language_without_abbreviations_has_those_of_english() -> None:
    assert last_sentence("Am Drs. Smith.", "xx") == "Am Drs. Smith." != last_sentence("Am Drs. Smith.", "de")


def test_each_verdict_on_real_subtitles_is_that_of_the_script(shared_data: Path) -> None:
    """References, both as they are and after the sentence that decides, and with forms of other items."""
    draw, prefixes = random.Random(1), frozenset(NonbreakingPrefixes().words("de"))
    found = []
    for part in ("dev", "devtest"):
        groups = json.loads((shared_data / f"contrastive/ctxpro_ende/auxiliary.en-de.{part}.json").read_text("utf-8"))
        for group in groups:
            form = draw.choice([group["expected"], draw.choice(groups)["expected"]])
            for output in (group["ref segment"], f"{group['ref ante segment']} {group['ref segment']}"):
                expected = passes_test(get_last(output.strip(), prefixes), form)
                assert has_form(output, [form], "de") == expected, (output, form)
                found.append(expected)
    assert len(found) == 2460 and 1000 < sum(found) < 2000
