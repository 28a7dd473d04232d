"""Drawings show every unit, relation and mention, whatever the text, and nothing in them can act."""

import random
import re
import subprocess
import sys
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from discourse_nmt.base.sources import expand
from discourse_nmt.discourse.drawings.canvas import legal, line
from discourse_nmt.discourse.drawings.coreference_views import coreference_chains
from discourse_nmt.discourse.drawings.dependency_views import dependency_view
from discourse_nmt.discourse.drawings.lettering import text_width, wrapped
from discourse_nmt.discourse.drawings.mention_layout import TEXT_WIDTH, lay_out
from discourse_nmt.discourse.drawings.palette import COLOURS, DARK_PAPER, PAPER, chain_colour, relation_colour
from discourse_nmt.discourse.drawings.rst_trees import rst_tree
from discourse_nmt.discourse.drawings.theme_views import theme_view
from discourse_nmt.discourse.formats.rs3 import read_rs3
from discourse_nmt.discourse.formats.rs3_trees import tree_of_graph
from discourse_nmt.discourse.structures.conversions import hirao13, li14
from discourse_nmt.discourse.structures.dependencies import Dependencies
from discourse_nmt.discourse.structures.mentions import Chain, Mention, Span
from discourse_nmt.discourse.structures.trees import NUCLEUS, SATELLITE, RstTree, join, leaf
from discourse_nmt.discourse.themes.labelling import ThemeSpan
from tests.conftest import ROOT
from tests.unit.discourse.structures.discourse_examples import deep_tree, random_tree, tree_a, trees

HOSTILE = (
    "</text></svg><script>alert('x')</script><image href=\"http://example.org/x\" onload='alert(1)'/>&amp;\x00\x0b"
)
ELEMENTS = {"svg", "title", "desc", "style", "g", "rect", "path", "circle", "text", "tspan"}
ANY_TEXT = st.text(alphabet=st.characters(codec=None), max_size=40)
SVG = "{http://www.w3.org/2000/svg}"


def parsed(drawing: str) -> etree._Element:
    """The drawing as XML; checks what holds for every drawing."""
    root = etree.fromstring(drawing.encode())
    for element in root.iter():
        assert etree.QName(element).localname in ELEMENTS
        for name, value in element.attrib.items():
            assert not name.startswith("on") and name not in ("href", "id", "style")
            assert "url(" not in value and "nan" not in value and "inf" not in value
    assert [etree.QName(child).localname for child in root[:2]] == ["title", "desc"]
    assert root[1].text
    assert root.get("role") == "graphics-document document"
    styles = [style.text or "" for style in root.iter(f"{SVG}style")]
    assert not re.search(r"@import|url\(|expression", "".join(styles))
    return root


def words_of(root: etree._Element) -> list[str]:
    return [" ".join(part for part in text.itertext()) for text in root.iter(f"{SVG}text")]


def one_word_chains(*groups: Sequence[Span]) -> list[Chain]:
    return [Chain(tuple(Mention(span, span) for span in spans)) for spans in groups]


def spans_of(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in re.finditer(r"\w+|[^\w\s]", text)]


def texts_for(tree: RstTree) -> list[str]:
    return [f"unit number {number}" for number in range(len(tree.leaves))]


@pytest.mark.parametrize("mixed", [False, True])
def test_trees_show_every_unit_and_relation(mixed: bool) -> None:
    for tree in trees(mixed):
        root = parsed(rst_tree(tree, texts_for(tree)))
        words = words_of(root)
        for number in range(len(tree.leaves)):
            assert f"unit number {number}" in words and str(number + 1) in words
        heads = {
            child for n, below in enumerate(tree.children) if below for child in below if child != tree.head_child(n)
        }
        relations = sorted(tree.nodes[child].relation for child in heads)
        assert sorted(word for word in words if word in {node.relation for node in tree.nodes}) == relations
        assert words.count("root") == 1


def test_tree_a_says_who_is_satellite_of_whom() -> None:
    root = parsed(rst_tree(tree_a(), ["one", "two", "three", "four"], title="Tree A"))
    assert root[0].text == "Tree A"
    meanings = [group[0].text for group in root.findall(f"{SVG}g") if len(group) and group[0].tag == f"{SVG}title"]
    assert meanings == [
        "EDU 1: head of the document",
        "EDUs 2 to 4: evidence, satellite of EDU 1",
        "EDU 3: elaboration, satellite of EDU 2",
        "EDU 4: joint, nucleus beside EDU 2",
    ]


def corners(path: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in re.findall(r"(-?[\d.]+) (-?[\d.]+)", path)]


def test_arrows_lead_from_the_satellite_to_the_nucleus() -> None:
    nucleus, satellite = (leaf(), NUCLEUS, "span"), (leaf(), SATELLITE, "cause")
    for children, direction in (([nucleus, satellite], -1), ([satellite, nucleus], 1)):
        root = parsed(rst_tree(join(children), ["first", "second"]))
        [arrow] = [corners(path.get("d")) for path in root.iter(f"{SVG}path") if path.get("fill") is not None]
        tip, *base = (y for _, y in arrow)
        assert all(direction * (tip - y) > 0 for y in base)


def test_lines_of_a_tree_never_cross() -> None:
    for seed in range(30):
        tree = random_tree(random.Random(seed), 4 + seed)
        root = parsed(rst_tree(tree, texts_for(tree)))
        lines = [corners(path.get("d")) for path in root.iter(f"{SVG}path") if path.get("fill") is None]
        verticals = [(points[0][0], *sorted((points[0][1], points[-1][1]))) for points in lines]
        horizontals = [(points[-1][1], points[0][0], points[-1][0]) for points in lines]
        for x, top, bottom in verticals:
            for y, left, right in horizontals:
                assert not (left + 1 < x < right - 1 and top + 4 < y < bottom - 4)


def test_a_document_of_one_unit_is_drawn() -> None:
    assert "alone" in words_of(parsed(rst_tree(leaf(), ["alone"])))
    assert "alone" in words_of(parsed(dependency_view(li14(leaf()), ["alone"])))
    assert parsed(coreference_chains([], [])) is not None


def test_deep_trees_grow_with_their_units_only() -> None:
    sizes = []
    for edus in (100, 200):
        tree = deep_tree(edus)
        root = parsed(rst_tree(tree, texts_for(tree)))
        sizes.append(float(root.get("height")))
        assert float(root.get("width")) < 12 * edus + 1000
    assert sizes[1] == pytest.approx(2 * sizes[0], rel=0.05)


def test_dependencies_show_heads_and_roots() -> None:
    for tree in trees():
        for dependencies in (li14(tree), hirao13(tree)):
            root = parsed(dependency_view(dependencies, texts_for(tree)))
            words = words_of(root)
            assert words.count("root") == len(dependencies.roots) == len(list(root.iter(f"{SVG}circle")))
            for head, relation in zip(dependencies.heads, dependencies.relations):
                if head >= 0:
                    assert f"{relation[:-2]} · {head + 1}" in words
            arcs = [path for path in root.iter(f"{SVG}path") if "A" in path.get("d")]
            assert len(arcs) == len(dependencies.heads) - len(dependencies.roots)
            dashed = sum(path.get("stroke-dasharray") is not None for path in arcs)
            assert dashed == sum(relation.endswith("_m") for relation in dependencies.relations)


def test_mentions_are_boxed_where_their_words_are() -> None:
    text = "Ann saw the man with her dog , and he saw it too ."
    spans = spans_of(text)
    chains = one_word_chains(
        [Span(0, 0, 1), Span(0, 5, 6)], [Span(0, 2, 7), Span(0, 9, 10)], [Span(0, 5, 7), Span(0, 11, 12)]
    )
    layout = lay_out([(text, spans)], chains)
    root = parsed(coreference_chains([(text, spans)], chains))
    boxes = list(root.iter(f"{SVG}rect"))
    assert len(boxes) == 6
    starts = [word.start for word in layout.boxes[0]]
    assert starts == sorted(starts) and len(starts) == len(spans)
    widest = max(boxes, key=lambda box: float(box.get("width")))
    her = min(boxes, key=lambda box: float(box.get("width")))
    assert float(widest.get("height")) > float(her.get("height"))
    lanes = [group[0].text for group in root.findall(f"{SVG}g") if len(group) and group[0].tag == f"{SVG}title"]
    assert lanes == ["Chain 1, 2 mentions: Ann, her", "Chain 2, 2 mentions: the man with her dog, he",
                     "Chain 3, 2 mentions: her dog, it"]  # fmt: skip
    shown = "".join(words_of(root))
    assert all(text[start:end] in shown for start, end in spans)


def test_a_mention_over_a_line_end_has_a_box_on_each_line() -> None:
    text = " ".join(["long"] * 60)
    root = parsed(coreference_chains([(text, spans_of(text))], one_word_chains([Span(0, 0, 60)])))
    boxes = list(root.iter(f"{SVG}rect"))
    assert len(boxes) == len({box.get("y") for box in boxes}) > 2


def test_themes_have_a_line_below_each_span_on_every_line_of_text() -> None:
    text = "But surely Ann " + " ".join(["slept"] * 40)
    themes = [
        ThemeSpan(Span(0, 0, 1), "theme-textual"),
        ThemeSpan(Span(0, 1, 2), "theme-interpersonal"),
        ThemeSpan(Span(0, 2, 3), "theme-topical"),
        ThemeSpan(Span(0, 3, 43), "rheme"),
    ]
    layout = lay_out([(text, spans_of(text))], [])
    root = parsed(theme_view([(text, spans_of(text))], themes))
    lines = [path for path in root.iter(f"{SVG}path") if len(path)]
    labels = [path[0].text for path in lines]
    assert labels[:3] == [theme.label for theme in themes[:3]] and set(labels[3:]) == {"rheme"}
    assert len(lines) == 3 + len(layout.middles) > 4
    looks = {(path.get("stroke"), path.get("stroke-dasharray"), path.get("stroke-width")) for path in lines}
    assert len(looks) == 4 and len({look[1:] for look in looks}) == 4  # colours are not needed to tell them apart
    starts = [float(re.findall(r"M([\d.]+)", path.get("d"))[0]) for path in lines[:4]]
    lefts = [layout.boxes[0][word].start for word in range(4)]
    assert [start - starts[0] for start in starts] == pytest.approx([left - lefts[0] for left in lefts], abs=0.2)


def test_lanes_are_used_again_but_never_shared() -> None:
    texts = [(f"Name{number} came", [(0, 5), (6, 10)]) for number in range(9)]
    chains = one_word_chains(*([Span(n, 0, 1), Span(n + 1, 0, 1)] for n in (0, 3, 6)), [Span(0, 1, 2), Span(8, 1, 2)])
    root = parsed(coreference_chains(texts, chains))
    places = [float(circle.get("cx")) for circle in root.iter(f"{SVG}circle")]
    assert len(set(places)) == 2


@pytest.mark.parametrize("text", [HOSTILE, "\ud800\udfff", "]]>", "a" * 3000, "我们去公园，他们也来了。" * 20, "שלום"])
def test_hostile_and_foreign_text_stays_text(text: str) -> None:
    tree = tree_a()
    drawings = [
        rst_tree(tree, [text] * 4, text),
        dependency_view(Dependencies((-1, 0), ("ROOT", f"{text}_r")), [text] * 2, text),
        coreference_chains([(text, [(0, len(text))])], one_word_chains([Span(0, 0, 1)]), text),
        theme_view([(text, [(0, len(text))])], [ThemeSpan(Span(0, 0, 1), text)], text),
    ]
    for drawing in drawings:
        drawing.encode("utf-8")
        root = parsed(drawing)
        assert root[0].text == legal(text).replace("\r", "\n")
        shown = "".join(word.replace(" ", "") for word in words_of(root))
        assert legal("".join(text.split())) in shown


@settings(max_examples=100, deadline=None)
@given(ANY_TEXT, ANY_TEXT)
def test_any_text_can_be_drawn(first: str, second: str) -> None:
    tree = tree_a()
    parsed(rst_tree(tree, [first, second, first, second], second))
    parsed(coreference_chains([(first, [(0, len(first))] if first else [])], [], second))


@settings(max_examples=100, deadline=None)
@given(ANY_TEXT, st.integers(20, 400))
def test_wrapping_keeps_the_text_and_the_width(text: str, width: int) -> None:
    lines = wrapped(text, 13, width)
    assert "".join("".join(lines).split()) == "".join(text.split())
    for one in lines:
        assert text_width(one.rstrip(), 13) <= width + 2 * 13 or len(one) == 1


def test_every_line_of_text_has_the_width_of_the_layout() -> None:
    root = parsed(rst_tree(tree_a(), ["one", "two words", "three", "four"]))
    lengths = {text.text: float(text.get("textLength")) for text in root.iter(f"{SVG}text") if text.get("textLength")}
    assert {"one", "two words", "evidence", "root"} <= set(lengths)
    assert lengths["two words"] == pytest.approx(text_width("two words", 13), abs=0.05)


def test_widths_of_letters() -> None:
    assert text_width("Helvetica", 1000) == 722 + 556 + 222 + 500 + 556 + 278 + 222 + 500 + 556
    assert text_width("中文，", 10) == 30
    assert text_width("Öä", 10) == text_width("Oa", 10)
    assert text_width("e\u0301\u200b", 10) == text_width("e", 10)
    assert wrapped("天气很好，", 10, 40) == ["天气很好，"]  # the comma does not begin a line
    assert wrapped("", 10, 40) == [""]


def luminance(colour: str) -> float:
    """Relative luminance of WCAG 2.2."""
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("paper", [PAPER, DARK_PAPER])
def test_colours_stand_out_from_light_and_dark_paper(paper: str) -> None:
    for colour in COLOURS:
        brighter, darker = sorted((luminance(colour), luminance(paper)), reverse=True)
        assert (brighter + 0.05) / (darker + 0.05) >= 3  # WCAG 2.2, 1.4.11, for graphics


def test_relations_keep_their_colours() -> None:
    assert relation_colour("elaboration-additional") == relation_colour("elaboration")
    assert relation_colour("same-unit") == relation_colour("same")
    assert relation_colour("joint") != relation_colour("elaboration")
    script = (
        "from discourse_nmt.discourse.drawings.palette import relation_colour; print(relation_colour('unheard-of'))"
    )
    again = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert again.stdout.strip() == relation_colour("unheard-of")
    assert len({chain_colour(number) for number in range(11)}) == 11


def test_lines_bend_at_their_corners() -> None:
    path = line([(0, 0), (0, 10), (20, 10)], 4).get("d")
    assert path == "M0 0L0 6Q0 10 4 10L20 10"
    assert line([(0, 0), (0, 2), (20, 2)], 4).get("d") == "M0 0L0 1Q0 2 4 2L20 2"


def test_words_flow_within_the_width() -> None:
    text = "Der Donaudampfschifffahrtskapitän begrüßte alle , die gekommen waren . " * 8
    layout = lay_out([(text, spans_of(text))], [])
    for line_number in range(len(layout.middles)):
        boxes = [box for box in layout.boxes[0] if box.line == line_number]
        assert boxes and all(left.end <= right.start for left, right in pairwise(boxes))
        assert boxes[-1].end <= TEXT_WIDTH


def test_gold_trees_are_drawn(shared_data: object) -> None:
    sources = expand(f"{shared_data}/treebanks/gum/gum_dev.tar.xz::dev/rs4/*.rs4")
    for source in sources[:8]:
        tree = tree_of_graph(read_rs3(source.text(), source.name), source.name)
        root = parsed(rst_tree(tree, tree.texts, source.stem))
        assert float(root.get("height")) < 40 * len(tree.leaves) + 100
        parsed(dependency_view(li14(tree), tree.texts, source.stem))
