"""What is read of each format, how translations are written in it, and what is refused."""

import re

import pytest
from markdown_it import MarkdownIt

from discourse_nmt.base.errors import InputError
from discourse_nmt.translation.formats.readers import read_formatted
from discourse_nmt.translation.word_links import WordLinks
from tests.unit.translation.formats.translators import sentences, translated


def other(text: str) -> str:
    return f"{text[:-1]} neu{text[-1]}"


def test_sentences_are_those_of_the_plain_text() -> None:
    plain = ["Press the button & wait.", "Then go on with it."]
    assert sentences("# Press the **button** &amp; wait.\n\nThen *go*\non with [it](x).\n", "a.md") == plain
    assert sentences("<p>Press the <b>button</b> &amp; wait.\n<li>Then <i>go</i>\n on with it.", "a.html") == plain
    times = "00:00:01,000 --> 00:00:02,000\n"
    cues = f"1\n{times}Press the <b>button</b> & wait.\nThen go\n\n2\n{times}on with it.\n"
    assert sentences(cues, "a.srt") == plain
    assert sentences('msgid "Press the _button & wait."\nmsgstr ""\n', "a.po") == ["Press the _button & wait."]
    assert sentences('msgid "Press the _button."\nmsgstr ""\n', "a.po") == ["Press the button."]


@pytest.mark.parametrize(
    "line",
    ["1. x", "- x", "# x", "> x", "+ x", "| a |", "a *b* c", "[a](b) `c`", "<b>a</b>", "a_b _c_ d", "a \\ b ~~c~~"],
)
def test_signs_of_markdown_in_a_translation_are_escaped(line: str) -> None:
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    written = parser.parse(translated("Some words.\n", "a.md", lambda _: line))
    (paragraph,) = [token for token in written if token.type == "inline"]
    assert written[0].type == "paragraph_open" and paragraph.children is not None
    assert "".join(token.content for token in paragraph.children) == line


def test_signs_of_markdown_that_cannot_be_markup_stay() -> None:
    assert translated("Some 5 * 3 words.\n", "a.md", lambda _: "Ein 5 * 3 Wort.") == "Ein 5 * 3 Wort.\n"
    assert translated("A [x] box.\n", "a.md", lambda _: "Ein [x] Kasten.") == "Ein [x] Kasten.\n"
    table = "| {} |\n|---|\n| {} |\n"
    assert translated(table.format("a", "b"), "a.md", lambda _: "x | y") == table.format("x \\| y", "x \\| y")


def test_text_of_html_is_escaped() -> None:
    assert translated("<p>Some words.</p>", "a.html", lambda _: "<b> & c") == "<p>&lt;b&gt; &amp; c</p>"
    assert translated('<img alt="Some words.">', "a.html", lambda _: '"a" & b') == '<img alt="&quot;a&quot; &amp; b">'
    assert translated("<p>AT&T is here.</p>", "a.html", other) == "<p>AT&T is here neu.</p>"


@pytest.mark.parametrize(
    "fixed",
    ["%s", "%(name)s", "%1$d", "%1", "{0}", "{name}", "${HOME}", "{{ x.y }}", "{% if x %}", "https://x.y/z", "a@b.org"],
)
def test_what_programs_fill_in_stays(fixed: str) -> None:
    source = f"Here {fixed} stands."
    assert translated(source, "a.html", lambda _: f"Es steht {fixed} da.") == f"Es steht {fixed} da."
    assert translated(source, "a.html", lambda _: "Es steht ein Ding.").count(fixed) == 1


XLIFF_UNIT = '<xliff version="1.2"><file target-language="de"><trans-unit>{}</trans-unit></file></xliff>'
IN_EACH = [
    ("a.html", "<p>{source}</p>", "<p>{target}</p>"),
    ("a.html", '<img title="{source}">', '<img title="{target}">'),
    ("a.po", 'msgid "{source}"\nmsgstr ""\n', 'msgid "{source}"\nmsgstr "{target}"\n'),
    (
        "a.xlf",
        XLIFF_UNIT.format("<source>{source}</source>"),
        XLIFF_UNIT.format("<source>{source}</source><target>{target}</target>"),
    ),
]
"""Files of formats with character references, with a text and with its translation."""


@pytest.mark.parametrize(
    "address",
    [
        "https://example.com/search?query=open&amp;file=save+the+file&amp;mode=print",
        "https://example.com/?open&#38;save&#x26;print",
        "www.example.com/open_the_file",
        "www.example.com/?open&amp;save",
    ],
)
@pytest.mark.parametrize(("name", "before", "after"), [*IN_EACH, ("a.md", "{source}\n", "{target}\n")])
def test_an_address_stays_whole(name: str, before: str, after: str, address: str) -> None:
    source = f"See {address} now."
    for translate, target in ((str.upper, f"SEE {address} NOW."), (lambda _: "Ja", address)):
        filled = translated(before.format(source=source), name, translate)
        assert filled == after.format(source=source, target=target)


@pytest.mark.parametrize(
    "address", ["www.example.com/open_the_file", "https://example.com/_open", "https://example.com/?a&b"]
)
def test_signs_in_an_address_are_no_accelerator(address: str) -> None:
    for sign in ("", "_"):
        text = translated(f'msgid "{sign}See {address}"\nmsgstr ""\n', "a.po", str.upper)
        assert text.endswith(f'msgstr "{sign}SEE {address}"\n')


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("Open&#10;the file.", "OPEN&#10;THE FILE. X"),
        ("Open&#13;&#10;the&#xD; file.", "OPEN&#13;&#10;THE&#xD;FILE. X"),
        ("&#xA;Open the file.&#010;Save it.&#x0a;", "&#xA;OPEN THE FILE. X&#010;SAVE IT. X&#x0a;"),
        ("See https://example.com/open&#10;the file.", "SEE https://example.com/open&#10;THE FILE. X"),
        ("Open\u2028the file.\u2029Save it.", "OPEN\u2028THE FILE. X\u2029SAVE IT. X"),
    ],
)
@pytest.mark.parametrize(("name", "before", "after"), IN_EACH)
def test_references_to_line_ends_stay(name: str, before: str, after: str, source: str, target: str) -> None:
    filled = translated(before.format(source=source), name, lambda line: f"{line.upper()} X")
    assert filled == after.format(source=source, target=target)


def test_the_name_of_a_line_end_stays() -> None:
    assert translated("Open&NewLine;the file", "a.html", str.upper) == "OPEN&NewLine;THE FILE"


@pytest.mark.parametrize(
    ("message", "translation", "expected"),
    [
        (
            "usage: save <file> if the size is < 5 rows",
            "USAGE: SAVE IF THE SIZE IS < 5",
            "USAGE: SAVE <file> IF THE SIZE IS < 5",
        ),
        ("a<b, a <= c &amp; <file>", "a<b, a <= d", "a<b, a <= d <file>"),
        ("size<%d of <b>it</b>", "Größe<%d davon", "Größe<%d <b>davon</b>"),
        ("a < b of <b>it</b>", "a <c> b", "a &lt;c&gt; <b>b</b>"),
    ],
)
def test_bare_signs_of_a_message_stay_bare(message: str, translation: str, expected: str) -> None:
    text = translated(f'msgid "{message}"\nmsgstr ""\n', "a.po", lambda _: translation)
    assert text == f'msgid "{message}"\nmsgstr "{expected}"\n'


@pytest.mark.parametrize("sign", "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")
def test_only_line_feeds_end_the_lines_of_a_catalogue(sign: str) -> None:
    text = (
        '# A{0}comment\nmsgid ""\nmsgstr "Language: de\\n"\n{0}\n# More{0}\n{0}{0}\nmsgid "Open the{0}file"{0}\n'
        'msgstr {1}{0}\n\n{0}#. Other{0}words\n#, c-format{0}\nmsgid "Save it{0}"\nmsgstr {2}\n\nmsgid ""{0}\n"Quit"\n'
        "{0}msgstr {3}\n{0}"
    )
    for ends in (text, text.replace("\n", "\r\n").replace("\\r\n", "\\n")):
        filled = translated(ends.format(sign, '""', '""', '""'), "a.po", lambda line: f"{line.upper()} X")
        assert filled == ends.format(sign, f'"OPEN THE{sign}FILE X"', f'"SAVE IT X{sign}"', '"QUIT X"')


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (
            r"Options:\n  -h, --help  show\n  -o  open it\n",
            [r"OPTIONS: X\n", r"  -H, --HELP X  SHOW X\n", r"  -O X  OPEN IT X\n"],
        ),
        (
            r"  -v, --verbose=N      show more\n  \"%s\"  and\tit\n               more\n",
            [r"  -V, --VERBOSE=N X      SHOW MORE X\n", r"  \"%s\"  AND X\tIT X\n", r"               MORE X\n"],
        ),
        (r"Name    Size  now   and", [r"NAME X    SIZE  NOW X   AND X"]),
        (r"- Open the file.  Save  it", [r"- OPEN THE FILE. X  SAVE X  IT X"]),
        (r"Open  the file.   Save it.", [r"OPEN  THE FILE. X   SAVE IT. X"]),
        (r"one:\r\ntwo\r\n\tthree", [r"ONE: X\r\n", r"TWO X\r\n", r"\tTHREE X"]),
        (
            r"in this\n-b  both\n\n\nof <b>\"them\"</b>",
            [r"IN THIS X\n", r"-B X  BOTH X\n", r"\n", r"\n", r"OF <b>\"THEM\"</b> X"],
        ),
        (r"a sentence that\ngoes on\nhere.\n", [r"A SENTENCE THAT GOES ON HERE. X\n"]),
    ],
)
def test_a_message_keeps_its_lines(message: str, expected: list[str]) -> None:
    filled = translated(f'msgid "{message}"\nmsgstr ""\n', "a.po", lambda line: f"{line.upper()} X")
    strings = filled.partition("\nmsgstr ")[2].splitlines()
    assert strings == [f'"{line}"' for line in (expected if len(expected) == 1 else ["", *expected])]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (r"It rings\a here", r"IT RINGS\a HERE X"),
        (r"\x41 \101\b rings\rhere", r"\x41 \101\b RINGS\rHERE X"),
        (r"\033[1mOpen\x1b[0m \"it\"\fin C:\\x41\vnow", r"\033[1mOPEN\x1b[0m \"IT\"\fIN C:\\X41\vNOW X"),
    ],
)
def test_escapes_of_a_message_stay(message: str, expected: str) -> None:
    text = translated(f'msgid "{message}"\nmsgstr ""\n', "a.po", lambda line: f"{line.upper()} X")
    assert text == f'msgid "{message}"\nmsgstr "{expected}"\n'


def test_a_percentage_is_no_placeholder() -> None:
    assert translated("It takes 50% of it.", "a.html", lambda _: "Die Hälfte davon.") == "Die Hälfte davon."


@pytest.mark.parametrize(
    ("message", "translation", "expected"),
    [
        ("_Open", "Öffnen", "_Öffnen"),
        ("Save _As", "Sichern als", "Sichern _als"),
        ("E_xit", "Nixen", "Ni_xen"),
        ("&File", "Datei", "&Datei"),
        ("file_name", "Name", "Name"),
        ("AT&amp;T here", "AT&T da", "AT&amp;T da"),
        ("R&D here", "F&E da", "F&E da"),
    ],
)
def test_the_accelerator_of_a_message_is_in_its_translation(message: str, translation: str, expected: str) -> None:
    text = translated(f'msgid "{message}"\nmsgstr ""\n', "a.po", lambda _: translation)
    assert text == f'msgid "{message}"\nmsgstr "{expected}"\n'


def test_plural_forms_are_those_that_the_catalogue_has() -> None:
    forms = 'msgid "one file"\nmsgid_plural "files"\n'
    three = translated(forms + 'msgstr[0] ""\nmsgstr[1] ""\nmsgstr[2] ""\n', "a.po", str.upper)
    assert three.endswith('msgstr[0] "ONE FILE"\nmsgstr[1] "FILES"\nmsgstr[2] "FILES"\n')
    header = 'msgid ""\nmsgstr "Plural-Forms: nplurals=1; plural=0;\\n"\n\n'
    assert translated(header + forms + 'msgstr[0] ""\n', "a.po", str.upper).endswith('msgstr[0] "FILES"\n')


def test_a_long_message_is_folded_if_its_source_is() -> None:
    long = "word " * 30 + "end."
    folded = translated(f'msgid ""\n"{long[:75]}"\n"{long[75:]}"\nmsgstr ""\n', "a.po", str.upper)
    lines = folded.partition("msgstr")[2].splitlines()
    assert lines[0] == ' ""' and len(lines) == 4 and max(map(len, lines)) <= 80
    assert "".join(line[1:-1] for line in lines[1:]) == long.upper()
    assert f'msgstr "{long.upper()}"' in translated(f'msgid "{long}"\nmsgstr ""\n', "a.po", str.upper)


def test_a_sentence_over_cues_is_cut_where_its_words_are() -> None:
    times = "00:00:01,000 --> 00:00:02,000"
    text = f"1\n{times}\nWhen it rains,\n\n2\n{times}\nwe stay\nat home.\n"

    def links(source: str, target: str) -> WordLinks:
        lines = WordLinks.of_places(source, target)
        order = {"Wenn": 0, "es": 1, "regnet": 2, ",": 3, "bleiben": 5, "wir": 4, "zu": 6, "Hause": 7, ".": 8}
        weights = lines.weights * 0
        for row, span in enumerate(lines.target):
            weights[row, order[target[slice(*span)]]] = 1
        return WordLinks(lines.source, lines.target, weights)

    result = translated(text, "a.srt", lambda _: "Wenn es regnet, bleiben wir zu Hause.", links)
    assert result == f"1\n{times}\nWenn es regnet,\n\n2\n{times}\nbleiben wir\nzu Hause.\n"
    short = translated(text, "a.srt", lambda _: "Ja.")
    assert re.findall("-->", short) == ["-->"] * 2 and short.startswith(f"1\n{times}\nJa")


def test_cues_after_a_pause_and_lines_of_speakers_are_read_by_themselves() -> None:
    text = "1\n00:00:01,000 --> 00:00:02,000\nWell\n\n2\n00:00:{},000 --> 00:00:09,000\nyes\n"
    assert sentences(text.format("03"), "a.srt") == ["Well yes"]
    long_cue = text.replace("00:00:02", "00:00:06")  # a pause begins where the cue ends
    assert sentences(long_cue.format("08"), "a.srt") == ["Well yes"]
    assert sentences(text.format("06"), "a.srt") == ["Well", "yes"]
    assert sentences(text.format("03").replace("yes", "- yes\n- no"), "a.srt") == ["Well", "yes", "no"]


def test_a_line_of_a_speaker_without_words_has_its_blank_once() -> None:
    for line in ("- ", "♪ ", ">> ", "- Words.\n- ", "♪\t", "  - "):
        for text in (f"1\n00:00:01,000 --> 00:00:02,000\n{line}\n\n", f"1\n00:00:01,000 --> 00:00:02,000\n{line}"):
            assert translated(text, "a.srt") == text


@pytest.mark.parametrize(
    "breaks", ["<br><br>", "<br> <br/>", "<br>\n<br>\n<br>", "<br>&nbsp;<br>", "<br><!-- and --><br>", "<br></b><br>"]
)
def test_breaks_without_text_between_them_part_paragraphs(breaks: str) -> None:
    text = f"<p><b>Our office{breaks}number of it<br>here{breaks}mail</p>"
    assert sentences(text, "a.html") == ["Our office", "number of it here", "mail"]
    expected = f"<p><b>office Our{breaks}here it of<br>number{breaks}mail</p>"
    assert translated(text, "a.html", lambda line: " ".join(reversed(line.split()))) == expected


XLIFF = '<xliff version="1.2"><file original="a" target-language="de"><body>{}</body></file></xliff>'


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.srt", "1\nno times\n", "a.srt:2: no times of a cue"),
        ("a.srt", "1\n00:00:01,000 --> 00:00:02,000\nYes\n\nlost line\n", "a.srt:5: neither number nor times of a cue"),
        (
            "a.srt",
            "1\n00:00:01,000 --> 00:00:02,000\nYes\n2\n00:00:02,000 --> 00:00:03,000\nNo\n",
            "a.srt:5: no empty line before a cue",
        ),
        ("a.srt", "Only text.\n", "a.srt:1: neither number nor times"),
        ("a.srt", "1\n", "a.srt:1: no times of a cue"),
        ("a.po", 'msgid "a\nmsgstr ""\n', "a.po:1: not a line of a catalogue"),
        ("a.po", 'msgid "a"\nmsgid "b"\nmsgstr ""\n', "a.po:2: not a catalogue"),
        ("a.po", "Hello.\n", "a.po:1: not a line of a catalogue"),
        ("a.xlf", "<xliff version='1.2'>\n<file>\n</xliff>", "a.xlf:3: broken XML (mismatched tag)"),
        ("a.xlf", "", "a.xlf:1: broken XML (no element found)"),
        ("a.xlf", "<html/>", "a.xlf:1: not XLIFF 1.2 or 2: its first element is html"),
        ("a.xlf", "<xliff version='3.0'/>", "not XLIFF 1.2 or 2: its first element is xliff 3.0"),
        ("a.xlf", "<!DOCTYPE x [<!ENTITY a 'b'>]>\n<xliff version='1.2'/>", "a.xlf:1: it declares entities"),
        (
            "a.xlf",
            XLIFF.format("<trans-unit><source>&x;</source></trans-unit>"),
            "a.xlf:1: broken XML (undefined entity)",
        ),
    ],
)
def test_a_broken_file_is_told_by_a_line_with_a_remedy(name: str, text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        sentences(text, name)
    assert message in str(error.value)
    assert "\n" not in str(error.value) and "; " in str(error.value)


@pytest.mark.parametrize(
    ("name", "text", "read"),
    [
        ("a.md", "---\ntitle: Some words\n---\nText.\n", ["Text."]),
        ("a.md", "> <p>\n> Some words.\n", []),
        ("a.md", "<p>\nSome words.\n", ["Some words."]),
        ("a.html", '<p class="x notranslate">Some words.</p><p translate=no>More.</p>', []),
        ("a.html", "Run <code>Stop it. Go on</code> now. Wait.", ["Run Stop it. Go on now.", "Wait."]),
        ("a.po", '#, fuzzy\nmsgid "Some words."\nmsgstr ""\n', []),
        ("a.md", "Some[^1].\n\n[^1]: Note\n[^2]: More.\n", ["Some[^1].", "Note", "More."]),
        ("a.md", "Some ![words](data:image/svg+xml;base64,A) here.\n", ["Some here.", "words"]),
        ("a.md", "It is $\\{x\\}_1 \\\\ y_2$ here.\n", ["It is $\\{x\\}_1 \\\\ y_2$ here."]),
        ("a.html", "<p>Some words. <!-- never <i>ends</i>", ["Some words."]),
        ("a.html", "<script><b>x</b></script>Some words.", ["Some words."]),
        ("a.srt", "00:00:01,000 --> 00:00:02,000\nSome\\Nwords\\hhere.\n", ["Some words here."]),
    ],
)
def test_what_is_read_of_a_file(name: str, text: str, read: list[str]) -> None:
    assert sentences(text, name) == read


@pytest.mark.parametrize(
    "text",
    [
        "[^1]: {}\n[^b]: {}\n",
        ":::{{note}}\n{}\n:::\n",
        '!!! note "Title"\n    {}\n',
        "{}\n: {}\n: {}\n",
        "{}\n$$\nx_1 = *y*\n$$\n{}\n",
        "> [^1]:\n>     {}\n> [^2]: {}\n",
    ],
)
def test_lines_and_marks_of_other_dialects_of_markdown_stay(text: str) -> None:
    for ends in (text, text.replace("\n", "\r\n")):
        before, after = (
            ends.replace("{}", words).replace("{{", "{").replace("}}", "}") for words in ("words", "WORDS")
        )
        assert translated(before, "a.md", str.upper) == after


def test_blanks_of_xliff_are_one_unless_they_are_to_stay() -> None:
    for attribute, written in (("", "TWO WORDS."), (' xml:space="preserve"', "TWO  WORDS.")):
        text = XLIFF.format(f"<trans-unit{attribute}><source>Two  words.</source></trans-unit>")
        assert f"<target>{written}</target>" in translated(text, "a.xlf", str.upper)
    text = XLIFF.format('<trans-unit xml:space="preserve"><source>-o    Open\tit.\u2028Save it.</source></trans-unit>')
    target = "<target>-O X    OPEN X\tIT. X\u2028SAVE IT. X</target>"
    assert target in translated(text, "a.xlf", lambda line: f"{line.upper()} X")


@pytest.mark.parametrize("name", ["a.md", "a.html", "a.srt", "a.po"])
def test_a_file_without_text_stays(name: str) -> None:
    for text in ("", "\n", "\ufeff", "  \r\n\r\n"):
        assert translated(text, name) == text
        assert sentences(text, name) == []


def test_targets_of_xliff_stand_where_they_belong() -> None:
    for target, expected in (
        ("", "\n  <source>Some words.</source>\n  <target>SOME WORDS.</target>"),
        ("\n  <target/>", "\n  <source>Some words.</source>\n  <target>SOME WORDS.</target>"),
        ("<target state='new'>  </target>", "\n  <source>Some words.</source><target state='new'>SOME WORDS.</target>"),
        ("<target>Da.</target>", "\n  <source>Some words.</source><target>Da.</target>"),
    ):
        unit = f"<trans-unit>\n  <source>Some words.</source>{target}</trans-unit>"
        assert translated(XLIFF.format(unit), "a.xlf", str.upper) == XLIFF.format(
            f"<trans-unit>{expected}</trans-unit>"
        )


def test_a_target_whose_tags_hold_no_text_is_filled() -> None:
    parts = '<mrk mtype="seg" mid="0">{}</mrk> <mrk mtype="seg" mid="1">{}</mrk>'
    segments = f"<source>One. Two.</source><seg-source>{parts.format('One.', 'Two.')}</seg-source>"
    text = XLIFF.format(f"<trans-unit>{segments}<target>{parts.format('', '')}</target></trans-unit>")
    assert translated(text, "a.xlf", str.upper) == text.replace(parts.format("", ""), parts.format("ONE.", "TWO."))


@pytest.mark.parametrize("kept", ['mtype="protected"', "translate='no'"])
def test_protected_text_of_xliff_stays(kept: str) -> None:
    source = f"Press <mrk {kept}>Save &amp; Quit</mrk> now."
    text = XLIFF.format(f"<trans-unit><source>{source}</source></trans-unit>")
    assert sentences(text, "a.xlf") == ["Press Save & Quit now."]
    expected = source.replace("Press", "PRESS").replace("now", "NOW")
    assert f"<target>{expected}</target>" in translated(text, "a.xlf", str.upper)


def test_only_units_of_the_file_itself_are_filled() -> None:
    other = "<alt-trans><source>Old.</source><target/></alt-trans>"
    for unit in ("<source>Some words.</source>{}" + other, other + "<source>Some words.</source>{}"):
        text = XLIFF.format(f"<trans-unit>{unit}</trans-unit><trans-unit><source/></trans-unit>")
        filled = text.format("<target>SOME WORDS.</target>")
        assert translated(text.format(""), "a.xlf", str.upper) == filled
    forms = '#~ msgctxt "c"\n#~ msgid "Old"\n#~ msgstr ""\n'
    message = 'msgctxt "{}"\nmsgid "Some words."\nmsgstr "{}"\n\n'
    before, after = (message.format("a", text) + message.format("b", text) + forms for text in ("", "SOME WORDS."))
    assert translated(before, "a.po", str.upper) == after


def test_pairs_of_codes_of_xliff_are_spans() -> None:
    source = '<bpt id="1">[</bpt>Some words<ept id="1">]</ept> and <bx id="2"/>more<ex rid="2"/> <ph id="3">%s</ph>.'
    text = XLIFF.format(f"<trans-unit><source>{source}</source></trans-unit>")
    assert f"<target>{source.replace('Some', 'Viele').replace('more', 'mehr')}</target>" in translated(
        text, "a.xlf", lambda line: line.replace("Some", "Viele").replace("more", "mehr")
    )
    with pytest.raises(KeyError):
        read_formatted("", "", "docx", "de")


@pytest.mark.parametrize("source", ["<![CDATA[***]]>", "***", "<![CDATA[ ]]>"])
def test_a_target_of_xliff_whose_source_has_no_words_stays(source: str) -> None:
    target = f'<trans-unit id="1"><source>{source}</source><target state="new"></target></trans-unit>'
    words = '<trans-unit id="2"><source>Words.</source>{}</trans-unit>'
    text = f'<xliff version="1.2"><file target-language="de"><body>{target}{words}</body></file></xliff>'
    assert translated(text.format(""), "x.xlf") == text.format("<target>Words.</target>")
