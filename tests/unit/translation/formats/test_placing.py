"""Where markup stands in a translation that has other words in another order."""

import random
import re
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pytest
from lxml import etree

from discourse_nmt.translation.formats.block_forms import TranslatedSentence, block_form
from discourse_nmt.translation.formats.blocks import BlockPiece, TextBlock
from discourse_nmt.translation.formats.html_pages import read_html
from discourse_nmt.translation.formats.placing import _Placer
from discourse_nmt.translation.word_links import WordLinks
from tests.unit.translation.formats.translators import translated


def links_of(source: str, target: str, pairs: Mapping[str, str]) -> WordLinks:
    """Links of words, by those of the source; other words have none that is certain."""
    lines = WordLinks.of_places(source, target)
    first, second = (
        [line[slice(*span)] for span in spans] for line, spans in ((source, lines.source), (target, lines.target))
    )
    weights = np.full((len(second), len(first)), 1 / len(first))
    for word, other in pairs.items():
        weights[second.index(other)] = np.eye(len(first))[first.index(word)]
    return WordLinks(lines.source, lines.target, weights)


def placed(page: str, translation: str, pairs: Mapping[str, str]) -> str:
    (block,) = (part for part in read_html(page).parts if isinstance(part, TextBlock))
    sentence = TranslatedSentence((0, len(block.text)), translation, lambda: links_of(block.text, translation, pairs))
    return block_form(block, [sentence], {})


LAST = {"the": "das", "file": "Datei", "open": "öffnen", "Now": "Jetzt"}


@pytest.mark.parametrize(
    ("page", "translation", "expected"),
    [
        ("Now <b>open</b> the file", "Jetzt das Datei öffnen", "Jetzt das Datei <b>öffnen</b>"),
        ("Now open <b>the file</b>", "Jetzt das Datei öffnen", "Jetzt <b>das Datei</b> öffnen"),
        ("<b>Now open</b> the <i>file</i>", "Datei öffnen Jetzt das", "<i>Datei</i> <b>öffnen Jetzt</b> das"),
        ("Now <a><b>open</b> the</a> file", "das öffnen Jetzt Datei", "<a>das <b>öffnen</b></a> Jetzt Datei"),
        ("Now <a><b>open</b></a> the file", "öffnen Jetzt das Datei", "<a><b>öffnen</b></a> Jetzt das Datei"),
        ("Now open<img> the file", "Jetzt das Datei öffnen", "Jetzt das Datei öffnen<img>"),
        ("Now open the <img>file", "Datei öffnen Jetzt das", "<img>Datei öffnen Jetzt das"),
        ("Now<br>open the file", "Jetzt das Datei öffnen", "Jetzt<br>das Datei öffnen"),
        ("Now <code>open</code> the file", "Jetzt das Datei öffnen", "Jetzt das Datei <code>open</code>"),
        ("Now <code>open</code> the file", "Jetzt OPEN das Datei", "Jetzt <code>open</code> das Datei"),
        ("<b><code>open datei</code></b> <img>file", "Open Datei", "<b><code>open datei</code></b><img>"),
        ("Now <b></b> open <i> </i>the file", "Jetzt das Datei öffnen", "Jetzt <i> </i>das Datei <b></b> öffnen"),
    ],
)
def test_a_span_is_around_the_words_that_render_its_own(page: str, translation: str, expected: str) -> None:
    pairs = {word: other for word, other in LAST.items() if other in translation.split()}
    assert placed(page, translation, pairs) == expected


@pytest.mark.parametrize(
    ("page", "translation", "expected"),
    [
        ("The size {n}px is set.", "Größe {n}px gilt.", "Größe {n}px gilt."),
        ("Text[<code>1</code>] and it{n}.", "Text[1] und es{n}.", "Text[<code>1</code>] und es{n}."),
        ("The <code>git</code> order", "Der git-Befehl", "Der <code>git</code>-Befehl"),
        ("The <code>git</code> order", "Der Digit-Befehl", "Der <code>git</code>"),
    ],
)
def test_a_fixed_part_takes_the_place_of_its_own_letters(page: str, translation: str, expected: str) -> None:
    def by_blanks(source: str, target: str) -> WordLinks:
        words = tuple(match.span() for match in re.finditer(r"\S+", target))
        links = WordLinks.of_places(source, target)
        return WordLinks(links.source, words, np.full((len(words), len(links.source)), 1 / len(links.source)))

    (block,) = (part for part in read_html(page).parts if isinstance(part, TextBlock))
    links = partial(by_blanks, block.text, translation)
    sentence = TranslatedSentence((0, len(block.text)), translation, links)
    assert block_form(block, [sentence], {}) == expected


@pytest.mark.parametrize(
    ("page", "translation", "expected"),
    [
        ("x<sup>2</sup> is 2.", "Das x2 ist 2.", "Das x<sup>2</sup> ist 2."),
        ("H<sub>2</sub>O and 2", "2 und H2O", "2 und H<sub>2</sub>O"),
        ("m<sup>2</sup> or m<sup>3</sup>", "m3 oder m2", "m<sup>3</sup> oder m<sup>2</sup>"),
        ("the <b>R</b>ed R", "R der Red", "R der <b>R</b>ed"),
        ("one <sup>2</sup> is 2x", "2x ist eins 2", "2x ist eins <sup>2</sup>"),
    ],
)
def test_a_part_of_a_word_stays_in_its_word(page: str, translation: str, expected: str) -> None:
    assert placed(page, translation, {}) == expected


def test_many_spans_are_placed_about_once_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """A footer of 100 links: the time would grow with a high power of their number."""
    searched = []

    def heaviest(placer: _Placer, *given: Any) -> Any:
        searched.append(given)
        return search(placer, *given)

    search = _Placer._heaviest
    monkeypatch.setattr(_Placer, "_heaviest", heaviest)
    names = {f"page{number}": f"Seite{number}" for number in range(100)}
    page, text = " ".join(f"<a>{name}</a>" for name in names), " ".join(reversed(names.values()))
    assert placed(page, text, names) == " ".join(f"<a>{name}</a>" for name in reversed(names.values()))
    assert 100 <= len(searched) < 1000


def test_spans_without_words_stay_whole_and_nested() -> None:
    result = placed("<b>Now</b> <i>open</i> <u><s>the</s> file</u>", "Ja", {"Now": "Ja"})
    assert result.startswith("<b>Ja</b>")
    assert sorted(result) == sorted("<b>Ja</b><i></i><u><s></s></u>")
    assert result.index("<u>") < result.index("<s>") < result.index("</s>") < result.index("</u>")
    assert placed("<b>Now</b> open", "", {}) == "<b></b>"


def test_a_span_has_no_words_at_its_edges_that_render_none_of_it_best() -> None:
    (block,) = (part for part in read_html("Choose <b>Format</b>").parts if isinstance(part, TextBlock))
    line = "Wählen Sie Ordnung"
    places = WordLinks.of_places(block.text, line)
    links = WordLinks(places.source, places.target, np.array([[0.9, 0.1], [0.4, 0.6], [0.2, 0.8]]))
    sentence = TranslatedSentence((0, len(block.text)), line, lambda: links)
    assert block_form(block, [sentence], {}) == "Wählen Sie <b>Ordnung</b>"


def test_marks_are_in_a_span_only_if_its_source_has_some_there() -> None:
    pairs = {"Now": "Jetzt", "file": "Datei", ":": ":"}
    assert placed("<b>Now</b>: file", "Jetzt: Datei", pairs) == "<b>Jetzt</b>: Datei"
    assert placed("<b>Now:</b> file", "Jetzt: Datei", pairs) == "<b>Jetzt:</b> Datei"
    (block,) = (part for part in read_html("Now <b>the</b> file").parts if isinstance(part, TextBlock))
    places = WordLinks.of_places(block.text, "neu, Jetzt")
    links = WordLinks(places.source, places.target, np.array([[0, 0.55, 0.45], [0, 0.6, 0.4], [0.9, 0.1, 0]]))
    sentence = TranslatedSentence((0, len(block.text)), "neu, Jetzt", lambda: links)
    assert block_form(block, [sentence], {}) == "<b>neu</b>, Jetzt"


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("Eins zwei drei.", "Vier fünf.", "Eins zwei <b>drei. Vier</b> fünf."),
        ("Eins drei zwei.", "Fünf vier.", "Eins <b>drei zwei. Fünf vier</b>."),
    ],
)
def test_a_span_over_two_sentences_reaches_the_end_of_one_and_the_begin_of_the_other(
    first: str, second: str, expected: str
) -> None:
    (block,) = (part for part in read_html("One two <b>three. Four</b> five.").parts if isinstance(part, TextBlock))
    words = dict(zip(["One", "two", "three", "Four", "five"], ["eins", "zwei", "drei", "vier", "fünf"]))

    def links(source: str, target: str) -> WordLinks:
        forms = {word: form for word, other in words.items() for form in (other, other.title()) if form in target}
        return links_of(source, target, {word: form for word, form in forms.items() if word in source})

    spans = ((0, 14), (15, 25))
    sentences = [
        TranslatedSentence(span, line, partial(links, block.text[slice(*span)], line))
        for span, line in zip(spans, (first, second))
    ]
    assert block_form(block, sentences, {}) == expected


@pytest.mark.parametrize(
    ("text", "second", "joint", "expected"),
    [("一。二。", 2, " ", "One. Two."), ("A. B.", 3, "", "One.Two."), ("A.  B.", 4, None, "One.  Two.")],
)
def test_blanks_between_sentences_are_those_of_the_languages(
    text: str, second: int, joint: str | None, expected: str
) -> None:
    block = TextBlock((BlockPiece((text,), text),))
    spans = ((0, 2), (second, len(text)))
    pair = [TranslatedSentence(span, line, pytest.fail) for span, line in zip(spans, ("One.", "Two."))]
    assert block_form(block, pair, {}, joint) == expected


def test_spans_of_signs_do_not_run_into_each_other() -> None:
    assert translated("Use `a` and `b`\n", "a.md", lambda _: "Nimm") == "`a` `b`\n"
    assert translated("Some *[more](x)* or **words**.\n", "a.md", lambda _: "Ja.") == "*[Ja](x)*.\n"
    assert translated("[**Some**](x) or [more](y).\n", "a.md", lambda _: "Ja.") == "[**Ja**](x).[](y)\n"


def nested(dice: random.Random, depth: int = 0) -> str:
    """Words with tags that are nested and close, now and then without words, and with points and breaks."""
    parts = []
    for _ in range(dice.randint(0 if depth else 2, 4)):
        kind = dice.random()
        if kind < 0.5 or depth > 3:
            parts.append(dice.choice(["word", "other", "a.", "Word", "one, two", " "]))
        elif kind < 0.8:
            name = dice.choice(["b", "i", "a", "span"])
            parts.append(f"<{name}>{nested(dice, depth + 1)}</{name}>")
        else:
            parts.append(dice.choice(["<img/>", "<br/>", "<code>x y</code>", "{name}"]))
    return dice.choice(["", " "]).join(parts)


def test_any_words_in_any_order_leave_tags_whole_and_nested() -> None:
    dice = random.Random(3)

    def shuffled(line: str) -> str:
        words = line.replace("x y", "xy").split()
        return " ".join(dice.choices([*words, "neu", "neu."], k=dice.randint(1, 2 * len(words) + 1)))

    def chance(source: str, target: str) -> WordLinks:
        links = WordLinks.of_places(source, target)
        weights = np.random.default_rng(dice.randrange(1000)).random(links.weights.shape) ** 4
        return WordLinks(links.source, links.target, weights / weights.sum(1, keepdims=True))

    for _ in range(400):
        page = nested(dice)
        written = translated(page, "a.html", shuffled, chance)
        before, after = (etree.fromstring(f"<p>{text}</p>") for text in (page, written))
        assert sorted(one.tag for one in before.iter()) == sorted(one.tag for one in after.iter())
        assert ["".join(code.itertext()) for code in after.iter("code")] == ["x y"] * page.count("<code>")
        assert written.count("{name}") >= page.count("{name}")


@pytest.mark.parametrize(("joint", "expected"), [(None, " "), ("", "")])
def test_the_blank_between_sentences_reaches_every_block_of_a_file(joint: str | None, expected: str) -> None:
    pair = f"Ein Haus steht.{expected}Ein Baum steht."
    text = "Ein Haus steht. Ein Baum steht.\n\n* Ein Haus steht. Ein Baum steht.\n"
    assert translated(text, "a.md", joint=joint) == f"{pair}\n\n* {pair}\n"


def turned(sentence: str) -> str:
    """The words in another order, so that no sentence stays as it is."""
    return " ".join(reversed(sentence[:-1].upper().split())) + sentence[-1:]


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("<i>One two. Three four. </i> Five.<img> ", "<i>TWO ONE. FOUR THREE. </i> FIVE.<img> "),
        ("One <b>two.<img></b> Three four.", "TWO <b>ONE.<img></b> FOUR THREE."),
    ],
)
def test_a_tag_between_sentences_stays_there(page: str, expected: str) -> None:
    assert translated(f"<p>{page}</p>", "page.html", turned) == f"<p>{expected}</p>"


def test_spans_that_are_very_deep_are_written() -> None:
    page = f"Now {'<b>' * 1500}one two{'</b>' * 1500} three"
    written = translated(page, "a.html", str.upper)
    assert written.count("<b>") == written.count("</b>") == 1500 and "ONE TWO" in written


def test_many_breaks_find_their_places() -> None:
    """The time would grow with the fourth power of their number."""
    page = "<br>".join(["one two three"] * 600)
    assert translated(page, "a.html", str.upper) == page.replace("one two three", "ONE TWO THREE")
