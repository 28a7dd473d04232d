"""What Markdown's readers see in a translation: targets of links, code, alerts, addresses, references, titles."""

import pytest
from markdown_it import MarkdownIt

from tests.unit.translation.formats.translators import sentences, translated

DEFINED = "\n\n[Unreleased]: /u\n[the **dialog**]: /d\n[save image]: /i\n[a | b]: /a\n[Save it. Open it.]: /s\n"


def backwards(line: str) -> str:
    return " ".join(reversed(line.split()))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("## [Unreleased]", "## [UNRELEASED][Unreleased]"),
        ("See [the **dialog**][] here.", "SEE [THE **DIALOG**][the **dialog**] HERE."),
        ("![Save image]", "![SAVE IMAGE][Save image]"),
        ("Press ![Save image][] now.", "PRESS ![SAVE IMAGE][Save image] NOW."),
        ("[Text][Unreleased] ![Text][save image]", "[TEXT][Unreleased] ![TEXT][save image]"),
        ("> See [save\n> image] here.", "> SEE [SAVE IMAGE][save image] HERE."),
        ("| See |\n|---|\n| [a \\| b] |", "| SEE |\n|---|\n| [A \\| B][a \\| b] |"),
        ("[Save it. Open it.] Then go.", "[SAVE IT. OPEN IT.][Save it. Open it.] THEN GO."),
    ],
)
def test_a_link_by_its_text_keeps_its_target(text: str, expected: str) -> None:
    assert translated(text + DEFINED, "a.md", str.upper) == expected + DEFINED
    assert translated(text + DEFINED, "a.md") == text + DEFINED


@pytest.mark.parametrize("text", ["See [Unreleased] now.", "See [Unreleased][] now.", "See [12] [Unreleased]! Go on."])
def test_a_link_whose_text_stays_has_no_label(text: str) -> None:
    expected = text.replace("See", "Sieh").replace("now", "jetzt")
    assert translated(text + DEFINED, "a.md", lambda line: line.replace("See", "Sieh").replace("now", "jetzt")) == (
        expected + DEFINED
    )


@pytest.mark.parametrize(("text", "after"), [("[Unreleased] (a page)", "(a"), ("[Unreleased] : this", ": this")])
def test_a_link_is_not_read_with_what_follows_it(text: str, after: str) -> None:
    moved = translated(f"{text}{DEFINED}", "a.md", lambda _: f"Unreleased{after}")
    assert moved.startswith(f"[Unreleased][Unreleased]{after}")


@pytest.mark.parametrize(
    "kept",
    [
        "<code>Save *file*</code>",
        '<span translate="no">Save <b>a</b> file</span>',
        "<kbd>Save file</kbd>",
        "<var>Save</var>",
        "<samp>Save file</samp>",
        "<pre>Save file</pre>",
        "<b class='a notranslate'>Save <b>a</b> file</b>",
        "<code>Save<br><br>![Save](file)</code>",
    ],
)
def test_html_that_is_not_translated_stays(kept: str) -> None:
    assert translated(f"Use {kept} here.\n", "a.md", str.upper) == f"USE {kept} HERE.\n"
    assert translated(f"{kept} stays.\n", "a.md", lambda _: "Bleibt.").count(kept) == 1


@pytest.mark.parametrize("code", ["# x", "- x", "1. x", "> x", "| a | b |", "a) x", "a   b", "x.  Y. Z"])
def test_code_that_looks_like_a_mark_or_columns_stays_whole(code: str) -> None:
    for name, form in (("a.md", f"`{code}`"), ("a.html", f"<code>{code}</code>")):
        text = f"{form} is here and {form} is not."
        assert translated(text, name) == text
        assert translated(text, name, lambda line: f"{line} Neu").count(form) == 2
        assert translated(text, name, backwards).count(form) == 2


def test_html_without_an_end_is_translated() -> None:
    assert translated("Use <code>this file.\n", "a.md", str.upper) == "USE <code>THIS FILE.\n"


@pytest.mark.parametrize("marker", ["[!NOTE]", "[!TIP]", "[!caution]-", "[!WARNING]  "])
@pytest.mark.parametrize("text", ["`Some` words.", "[Some](u) words.", "2 words.", '"Some" words.', "iOS words."])
def test_the_line_of_an_alert_stays(marker: str, text: str) -> None:
    alert = f"> {marker}\n> {text}\n"
    assert sentences(alert, "a.md") == [text.replace("`", "").replace("[Some](u)", "Some")]
    assert translated(alert, "a.md", backwards).startswith(f"> {marker}\n> words.")


@pytest.mark.parametrize("marker", ["[!note] ", "[!tip]- ", "[!my-own|left]+\t", "[!NOTE]   "])
@pytest.mark.parametrize("title", ["Some title", "**Some** title.", "[Some](u) `code`", "some"])
def test_the_title_of_an_alert_is_a_text_of_its_own(marker: str, title: str) -> None:
    alert = f"> {marker}{title}\n> and some text\n> goes on.\n>\n> More.\n"
    assert len(sentences(alert, "a.md")) == 3 and sentences(alert, "a.md")[1] == "and some text goes on."
    assert translated(alert, "a.md") == alert
    changed = translated(alert, "a.md", lambda line: f"{line} Neu").splitlines()
    assert changed[0] == f"> {marker}{title} Neu" and changed[1] == "> and some text goes on. Neu"


@pytest.mark.parametrize("text", ["> [!note](u) some text\n> goes on.\n", "> See [!note] some text\n> goes on.\n"])
def test_what_is_no_alert_is_one_sentence(text: str) -> None:
    assert len(sentences(text, "a.md")) == 1


@pytest.mark.parametrize(
    ("alternative", "read", "expected"),
    [
        ("a **red** house", "a red house", "A **RED** HOUSE"),
        ("a \\[red\\] &amp; house", "a [red] & house", "A \\[RED\\] & HOUSE"),
        ("a `red` [house](x_y_)", "a red house", "A `red` [HOUSE](x_y_)"),
        ("see ![the house](y) here", "see here", "SEE ![THE HOUSE](y) HERE"),
        ("a [red] house", "a [red] house", "A \\[RED\\] HOUSE"),
        ("it is https://x.y/a_b_", "it is https://x.y/a_b_", "IT IS https://x.y/a_b_"),
        ("this [Unreleased] house", "this Unreleased house", "THIS [UNRELEASED][Unreleased] HOUSE"),
    ],
)
@pytest.mark.parametrize(
    "image", ["![{}](a_b_.png)", "| ![{}](x 'y')|\n|---|", "> [![{}][save image]](y)", "# ![{}](<u v>)"]
)
def test_an_alternative_text_is_read_as_text(alternative: str, read: str, expected: str, image: str) -> None:
    before, after = (image.replace("{}", text) + DEFINED for text in (alternative, expected))
    assert read in sentences(before, "a.md")
    assert translated(before, "a.md") == before
    assert translated(before, "a.md", str.upper) == after.replace("'y'", "'Y'")


@pytest.mark.parametrize("sign", "[]\\`*")
def test_signs_in_a_translated_alternative_text_do_not_end_it(sign: str) -> None:
    written = translated("![one [two] three](u)", "a.md", lambda _: f"eins {sign}zwei")
    (token,) = MarkdownIt("commonmark").parse(written)[1].children or []
    assert token.type == "image" and "".join(one.content for one in token.children or []) == f"eins {sign}zwei"


def test_attributes_of_html_in_a_line_are_read() -> None:
    text = 'See <img src="a" alt="the house" /> and <a title=\'a "tip"\' href="u">it</a>.\n'
    expected = text.replace("the house", "THE HOUSE").replace('a "tip"', 'A "TIP"').replace(">it<", ">IT<")
    assert translated(text, "a.md", str.upper) == expected.replace("See", "SEE").replace("and", "AND")
    for tag in ('<img alt="Logo" translate="no"/>', '<img alt="Logo" class="notranslate">'):
        for name in ("a.md", "a.html"):
            assert translated(f"See {tag} now.", name, str.upper) == f"SEE {tag} NOW."


@pytest.mark.parametrize(
    "address",
    [
        "https://example.com/open_the_*file*",
        "https://example.com/a_b_c_d",
        "https://example.com/_open_/~~file~~?x=**y**",
        "https://example.com/*open*",
        "{_name_}",
    ],
)
@pytest.mark.parametrize("around", ["{}", "**{}**", "*see {}*", "[{}](u)", "({})", "`code` {}[^1]"])
def test_signs_in_an_address_are_no_marks(address: str, around: str) -> None:
    text = around.replace("{}", address)
    expected = text.replace("see", "SEE")
    assert translated(f"Read {text} now.\n", "a.md", str.upper) == f"READ {expected} NOW.\n"


def test_an_address_ends_before_other_marks() -> None:
    text = "Read https://example.com/*a*[it](u_v_) and *this https://example.com/b* now.\n"
    expected = "READ https://example.com/*a*[IT](u_v_) AND *THIS https://example.com/b* NOW.\n"
    assert translated(text, "a.md", str.upper) == expected


@pytest.mark.parametrize("text", ["Write &amp;lt; now.", "Write \\&lt; now.", "AT&T: write &amp;#60; and &amp;copy;."])
def test_what_looks_like_a_reference_is_escaped(text: str) -> None:
    parser = MarkdownIt("commonmark")
    before, after = (parser.render(form) for form in (text, translated(text, "a.md", lambda line: f"{line} Neu")))
    assert after == before.replace("</p>", " Neu</p>")


def test_what_is_no_reference_stays() -> None:
    text = "AT&T writes &none; and &."
    assert translated(text, "a.md", lambda line: f"{line} Neu") == f"{text} Neu"


@pytest.mark.parametrize(("begin", "end"), ["''", '""', "()"])
@pytest.mark.parametrize("link", ["[a](u {})", "![](u {})", "| [a](u {}) |\n|---|"])
def test_a_title_ends_where_it_ended(begin: str, end: str, link: str) -> None:
    title = 'it\'s (a) "b" \\ | c) ('
    written = translated(
        link.replace("{}", f"{begin}Save{end}"), "a.md", lambda line: title if line == "Save" else line
    )
    tokens = MarkdownIt("commonmark").enable("table").parse(written)
    titles = [one.attrs["title"] for token in tokens for one in token.children or [] if "title" in one.attrs]
    assert titles == [title]


def test_a_title_that_begins_with_an_escaped_sign_stays() -> None:
    assert translated("[a](u '\\'Save it')\n", "a.md", str.upper) == "[A](u '\\'Save it')\n"


def test_breaks_without_text_between_them_part_paragraphs() -> None:
    text = "Our **office<br><br>number** of\n<br> <br>\nMail<br>it.\n"
    assert sentences(text, "a.md") == ["Our office", "number of", "Mail it."]
    assert translated(text, "a.md", str.upper) == "OUR **OFFICE<br><br>NUMBER** OF\n<br> <br>\nMAIL<br>IT.\n"
    assert translated("One  \n<br>two\\\nthree.\n", "a.md", backwards) == "One  \n<br>three.\\\ntwo\n"
