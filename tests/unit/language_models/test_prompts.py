"""Units, contexts and prompts of documents whose structure is known."""

from pathlib import Path
from typing import Any

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.records.record import DocumentRecord
from discourse_nmt.language_models.prompt_files import TEMPLATES, read_glossary
from discourse_nmt.language_models.prompts import DocumentView, Prompts
from discourse_nmt.language_models.settings import LanguageModelSettings
from discourse_nmt.language_models.units import context_of, in_order, neighbours, units_of

SENTENCES = [
    "It rained all day.",
    "So we left.",
    "Ann stayed.",
    "She had a roof.",
    "Later the sun came out again.",
    "End.",
]


def settings(**switches: Any) -> LanguageModelSettings:
    return LanguageModelSettings(**{"model": "m", "address": "http://127.0.0.1:1/v1", **switches})


def document() -> DocumentRecord:
    """Six sentences, a unit each; 1 depends on 0, 3 on 2, 0 on 4, 2 on 4, 5 on 4."""
    heads = [4, 0, 4, 2, -1, 4]
    edus = [
        {"edu_id": number, "sent_id": number, "start": 0, "end": len(text)} for number, text in enumerate(SENTENCES)
    ]
    spans = [(-1, 0, 5), (0, 0, 3), (1, 0, 1), (2, 0, 0), (2, 1, 1), (1, 2, 3), (5, 2, 2), (5, 3, 3), (0, 4, 5)]
    rst = [
        {"node_id": number, "parent": parent, "first_edu": first, "last_edu": last}
        | {"nuclearity": "nucleus" if parent >= 0 else "root", "relation": "joint" if parent >= 0 else "ROOT"}
        for number, (parent, first, last) in enumerate([*spans, (8, 4, 4), (8, 5, 5)])
    ]
    dependencies = [{"edu_id": number, "head": head, "relation": f"r{number}"} for number, head in enumerate(heads)]
    graph = [
        {"relation": relation, "from_sent": first, "from_token": 0, "to_sent": second, "to_token": 0}
        for relation, first, second in [
            ("lexical", 0, 4),
            ("lexical", 0, 4),
            ("coreference", 2, 3),
            ("adjacency", 1, 2),
            ("lexical", 0, 2),
        ]
    ]
    chain = [
        {"chain_id": 0, "sent_id": sentence, "start": 0, "end": 3, "head_start": 0, "head_end": 3}
        for sentence in (2, 3)
    ]
    themes = [{"sent_id": 2, "start": 0, "end": 3, "label": "theme-topical"}]
    layers: dict[str, list[dict[str, Any]]] = {
        "edus": edus, "rst": rst, "rst_dependencies": dependencies, "document_graph": graph, "coreference": chain,
        "themes": themes,
    }  # fmt: skip
    return DocumentRecord("d", SENTENCES, [""] * 6, {"source": layers})


def test_units_cover_every_sentence_once() -> None:
    record = document()
    expected = {
        "sentence": [range(n, n + 1) for n in range(6)],
        "document": [range(6)],
        "paragraph": [range(2), range(2, 6)],
    }
    for unit, ranges in expected.items():
        assert units_of(record, settings(unit=unit), [2, 4]) == ranges
    assert units_of(record, settings(unit="chunk", chunk_words=7)) == [range(0, 2), range(2, 4), range(4, 6)]
    assert units_of(record, settings(unit="chunk", chunk_words=100)) == [range(6)]
    # A sentence that is too long is a unit by itself.
    assert units_of(record, settings(unit="chunk", chunk_words=3)) == [range(n, n + 1) for n in range(6)]
    for words in range(1, 30):
        units = units_of(record, settings(unit="chunk", chunk_words=words))
        assert [sentence for unit in units for sentence in unit] == list(range(6))


def test_heads_go_first_in_the_order_of_the_tree() -> None:
    record, each = document(), [range(n, n + 1) for n in range(6)]
    assert in_order(record, each, settings()) == [0, 1, 2, 3, 4, 5]
    assert in_order(record, each, settings(order="tree")) == [4, 0, 1, 2, 3, 5]
    assert in_order(record, [range(2), range(2, 4), range(4, 6)], settings(order="tree")) == [2, 0, 1]


def test_neighbours_are_those_of_the_graph_or_the_tree() -> None:
    record = document()

    def near(sentence: int, **switches: Any) -> list[int]:
        return context_of(record, range(sentence, sentence + 1), settings(**switches), 1)

    assert near(0, context="none") == [] and near(3, context="document") == [0, 1, 2, 4, 5]
    assert near(4, context="previous", context_sentences=2) == [2, 3]
    assert near(0, context="graph_neighbours", context_sentences=1) == [4]
    assert near(0, context="graph_neighbours", context_sentences=9) == [2, 4]
    assert near(1, context="tree_neighbours", context_sentences=1) == [0]
    assert near(1, context="tree_neighbours", context_sentences=2) == [0, 4]
    assert near(1, context="tree_neighbours", context_sentences=9) == [0, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("unit", "linked", "nearest"),
    [
        (range(2, 3), [(2, 3), (2, 1)], 1),  # equally near: the earlier one
        (range(2, 4), [(2, 0), (3, 4)], 4),  # next to the end of the unit
        (range(2, 4), [(2, 1), (3, 5)], 1),
        (range(2, 4), [(2, 5), (3, 5), (2, 1)], 5),  # links count more than places
    ],
)
def test_of_neighbours_with_as_many_links_the_nearest_comes_first(
    unit: range, linked: list[tuple[int, int]], nearest: int
) -> None:
    graph = [{"relation": "lexical", "from_sent": first, "to_sent": second} for first, second in linked]
    record = DocumentRecord("d", SENTENCES, [""] * 6, {"source": {"document_graph": graph}})
    assert neighbours(record, unit, "graph_neighbours", 1) == [nearest]


def test_random_sentences_are_as_many_and_no_neighbours() -> None:
    record = document()
    for seed in range(20):
        unit, near = range(1, 2), neighbours(document(), range(1, 2), "tree_neighbours", 2)
        switches = settings(context="shuffled_neighbours", context_sentences=2)
        drawn = context_of(record, unit, switches, seed)
        assert len(drawn) == 2 and drawn == sorted(drawn) and not {1, *near} & set(drawn)
        assert drawn == context_of(record, unit, switches, seed)
    assert len({tuple(context_of(record, range(1, 2), switches, seed)) for seed in range(20)}) > 1
    most = settings(context="shuffled_neighbours", context_sentences=5)
    assert context_of(record, range(1, 2), most, 1) == [0, 2, 3, 4, 5], "there are no others"


@pytest.mark.parametrize("unit", ["chunk", "paragraph"])
def test_a_document_without_structure_is_one_line(unit: str) -> None:
    bare = DocumentRecord("d", SENTENCES, [""] * 6)
    with pytest.raises(InputError, match=r"document d has no (edus|paragraphs)"):
        units_of(bare, settings(unit=unit))
    with pytest.raises(InputError, match=r"document d has no document_graph.*tables of the analysis"):
        context_of(bare, range(1), settings(context="graph_neighbours"), 1)
    with pytest.raises(InputError, match=r"document d has no edus.*tables of the analysis"):
        in_order(bare, [range(1), range(1, 6)], settings(order="tree"))


def user_message(unit: range, done: dict[int, str], glossary: Any = (), **switches: Any) -> str:
    chosen = settings(**switches)
    prompts = Prompts(chosen, ("en", "de"), 7, glossary)
    record = document()
    request = prompts.request(DocumentView(record, done, 7), unit, context_of(record, unit, chosen, 7))
    assert [message["role"] for message in request.messages] == ["system", "user"]
    assert "English to German" in request.messages[0]["content"] and request.parameters == {"seed": 7, "temperature": 0}
    return request.messages[1]["content"]


def test_a_prompt_shows_terms_context_and_translations_so_far() -> None:
    prompt = user_message(
        range(1, 2), {0: "Es regnete."}, [("left", "gingen"), ("snow", "Schnee")], context="tree_neighbours"
    )
    assert "left = gingen" in prompt and "Schnee" not in prompt
    assert "It rained all day. => Es regnete.\n" in prompt and "Later the sun came out again.\n" in prompt
    assert prompt.endswith("<source>\nSo we left.\n</source>") and prompt.count("So we left.") == 1
    assert "same document" not in user_message(range(1, 2), {})


def test_the_shipped_templates_show_numbers_and_tags() -> None:
    assert "[1] Ann stayed.\n[2] She had a roof.\n" in user_message(range(2, 4), {}, template="numbered")
    tagged = user_message(range(2, 4), {}, template="tags")
    assert '<unit id="3" relation="r2" of="5">Ann stayed.</unit>' in tagged
    assert '<unit id="4" relation="r3" of="3">She had a roof.</unit>' in tagged
    shuffled = [user_message(range(6), {}, template="shuffled_tags", parameters={"temperature": 0})]
    relations = [line.split('relation="')[1].split('"')[0] for line in shuffled[0].splitlines() if "<unit" in line]
    assert sorted(relations) == [f"r{number}" for number in range(6)] != relations
    assert {path.stem for path in TEMPLATES.glob("*.jinja")} == {"translate", "numbered", "tags", "shuffled_tags"}


def test_a_template_of_ones_own_sees_the_whole_structure(tmp_path: Path) -> None:
    path = tmp_path / "own.jinja"
    path.write_text(
        "{% block system %}{{ source_language }} to {{ target_language }}: English to German{% endblock %}"
        "{% block user %}{{ document.id }}|{{ document.chains }}|{{ document.themes }}|{{ document.tree }}|"
        "{{ document.units[1] }}|{{ document.translations[0] }}{% endblock %}"
    )
    prompt = user_message(range(1, 2), {0: "Es regnete."}, template=str(path))
    assert prompt.startswith("d|[['Ann', 'She']]|['Ann']|root ROOT\n  nucleus joint\n    nucleus joint\n")
    assert "      nucleus joint: It rained all day." in prompt and prompt.endswith("|So we left.|Es regnete.")
    assert Prompts(settings(template=str(path)), ("en", "de"), 1).reads_translations
    assert not Prompts(settings(), ("en", "de"), 1).reads_translations
    assert Prompts(settings(context="previous"), ("en", "de"), 1).reads_translations


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{% block user %}{{ unit }}{% endblock %}", r"has no block system"),
        ("{% block system %}\n{% if %}{% endblock %}", r"own.jinja:2: broken template"),
        ("{% block system %}{% endblock %}{% block user %}{{ units }}{% endblock %}", r"'units' is undefined"),
        ("{% block system %}{% endblock %}{% block user %}{{ document.no }}{% endblock %}", r"has no attribute 'no'"),
    ],
)
def test_a_broken_template_is_one_line(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "own.jinja"
    path.write_text(text)
    with pytest.raises(InputError, match=problem):
        user_message(range(1), {}, template=str(path))


def test_a_missing_template_and_a_broken_glossary_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no template nowhere; name a file, or one of numbered, shuffled_tags, tags"):
        Prompts(settings(template="nowhere"), ("en", "de"), 1)
    path = tmp_path / "terms.tsv"
    path.write_text("a\tb\n\nc d\n")
    with pytest.raises(InputError, match=r"terms.tsv:3: no pair of terms"):
        read_glossary(str(path))
    path.write_text("a\tb\n")
    assert read_glossary(str(path)) == [("a", "b")] and read_glossary(None) == ()


def test_links_of_the_graph_lead_both_ways_and_adjacency_is_none() -> None:
    record = document()
    assert neighbours(record, range(4, 5), "graph_neighbours", 3) == [0], "the edge is stored from 0 to 4"
    assert neighbours(record, range(0, 1), "graph_neighbours", 1) == [4], "two links go before one"
    assert neighbours(record, range(1, 2), "graph_neighbours", 3) == [], "1 and 2 are beside each other, no more"
