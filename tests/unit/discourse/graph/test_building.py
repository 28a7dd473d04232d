"""Construction of document graphs against its definition, pair by pair."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.relations import RELATIONS
from discourse_nmt.base.settings import parse_settings
from discourse_nmt.base.storage.tables import read_table, write_table
from discourse_nmt.discourse.graph.building import document_graphs
from discourse_nmt.discourse.settings import GraphSettings
from tests.unit.discourse.graph.graph_tables import (
    CAT,
    CAT_CHAINS,
    CAT_EDGES,
    CAT_HEADS,
    Documents,
    mentions_table,
    syntax_table,
    tokens_table,
)

Pairs = set[tuple[int, int]]


def edges_of(tokens: pd.DataFrame, graph: pd.DataFrame) -> dict[str, Pairs]:
    """Edges by relation, words numbered over the table."""
    lengths = tokens["tokens"].map(len).to_numpy()
    keys = zip(tokens["doc_id"], tokens["sent_id"])
    firsts = {key: int(first) for key, first in zip(keys, np.cumsum(lengths) - lengths)}
    found: dict[str, Pairs] = {name: set() for name in RELATIONS}
    for row in graph.to_dict("records"):
        source, target = (firsts[row["doc_id"], row[f"{end}_sent"]] + row[f"{end}_token"] for end in ("from", "to"))
        assert (source, target) not in found[row["relation"]]
        found[row["relation"]].add((source, target))
    return found


def graph_of(
    documents: Documents,
    heads: Sequence[Sequence[int]],
    chains: Sequence[Sequence[tuple[int, int]]] = (),
    lemmas: Sequence[Sequence[str]] | None = None,
    upos: Sequence[Sequence[str]] | None = None,
    **chosen: Any,
) -> dict[str, Pairs]:
    tokens = tokens_table(documents)
    graph = document_graphs(
        tokens, syntax_table(tokens, heads, lemmas, upos), mentions_table(tokens, chains), GraphSettings(**chosen)
    )
    return edges_of(tokens, graph)


def test_t03_1_construction() -> None:
    found = graph_of(CAT, CAT_HEADS, CAT_CHAINS)
    assert found == CAT_EDGES
    union = set.union(*found.values())
    assert len(union) == 14
    assert [sum(target == word for _, target in union) for word in range(7)] == [1, 2, 1, 2, 2, 3, 3]
    assert [sum(source == word for source, _ in union) for word in range(7)] == [2, 4, 1, 1, 3, 2, 1]


@pytest.mark.parametrize("relation", RELATIONS)
def test_t03_1_each_relation_alone(relation: str) -> None:
    expected = {name: CAT_EDGES[name] if name == relation else set() for name in RELATIONS}
    assert graph_of(CAT, CAT_HEADS, CAT_CHAINS, relations=[relation]) == expected


WORDS = ["the", "The", "cat", "cats", "saw", "see", ",", "%"]
LEMMAS = {"the": "the", "The": "the", "cat": "cat", "cats": "cat", "see": "see", ",": ",", "%": "%"}


@st.composite
def texts(draw: st.DrawFn) -> dict[str, Any]:
    """Documents of a few common words with trees, lemmas, tags and chains."""
    sizes = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6), min_size=1, max_size=4)
    documents = {name: draw(sizes) for name in ("a", "b")}
    sentences = [words for found in documents.values() for words in found]
    places = [(row, word) for row, words in enumerate(sentences) for word in range(len(words))]
    last = len(documents["a"])
    chains = [
        [place for place in draw(st.lists(st.sampled_from(places), max_size=5)) if (place[0] < last) == (chain < 2)]
        for chain in range(4)
    ]
    return {
        "documents": documents,
        "heads": [[draw(st.integers(-1, place - 1)) for place in range(len(words))] for words in sentences],
        "lemmas": [[LEMMAS.get(word) or draw(st.sampled_from(["saw", "see"])) for word in row] for row in sentences],
        "upos": [["DET" if word.casefold() == "the" else "NOUN" for word in words] for words in sentences],
        "chains": chains,
    }


def literal(text: dict[str, Any], chosen: GraphSettings) -> dict[str, Pairs]:
    """The definition: every ordered pair of words is looked at."""
    rows = [(name, words) for name, found in text["documents"].items() for words in found]
    words = [
        (name, row, place, form.casefold(), text["lemmas"][row][place].casefold(), text["upos"][row][place])
        for row, (name, forms) in enumerate(rows)
        for place, form in enumerate(forms)
    ]
    number = {(row, place): index for index, (_, row, place, *_) in enumerate(words)}

    def repeated(word: tuple[Any, ...]) -> bool:
        if not word[3].isalnum() or (chosen.lexical_filter == "stopwords" and word[5] == "DET"):
            return False
        if not isinstance(chosen.lexical_filter, int):
            return True
        others = [other for other in words if other[0] == word[0]]
        return max(sum(other[kind] == word[kind] for other in others) for kind in (3, 4)) <= chosen.lexical_filter

    found: dict[str, Pairs] = {name: set() for name in RELATIONS}
    for i, left in enumerate(words):
        for j, right in enumerate(words):
            same = left[:2] == right[:2]
            if same and abs(left[2] - right[2]) == 1:
                found["adjacency"].add((i, j))
            if same and text["heads"][right[1]][right[2]] == left[2]:
                found["dependency"].add((i, j))
            like = left[3] == right[3] or left[4] == right[4]
            if i < j and left[0] == right[0] and like and repeated(left) and repeated(right):
                found["lexical"].add((i, j))
    for chain in text["chains"]:
        heads = sorted({number[place] for place in chain})
        for i, head in enumerate(heads):
            later = heads[i + 1 :] if chosen.coreference_links == "all_pairs" else heads[i + 1 : i + 2]
            found["coreference"] |= {(head, other) for other in later}
    return {name: pairs if name in chosen.relations else set() for name, pairs in found.items()}


@settings(max_examples=80, deadline=None)
@given(
    texts(),
    st.sets(st.sampled_from(RELATIONS)),
    st.sampled_from(["none", "stopwords", 2, 3]),
    st.sampled_from(["chain", "all_pairs"]),
)
def test_relations_are_as_defined(text: dict[str, Any], relations: set[str], kept: str | int, links: str) -> None:
    chosen = {"relations": sorted(relations), "lexical_filter": kept, "coreference_links": links}
    parsed = parse_settings(GraphSettings, chosen, "graph")
    assert graph_of(**text, **dataclasses.asdict(parsed)) == literal(text, parsed)


def test_rows_are_a_table_in_text_order(tmp_path: Any) -> None:
    tokens = tokens_table({"b": CAT["cat"], "a": CAT["cat"]})
    graph = document_graphs(tokens, syntax_table(tokens, CAT_HEADS * 2), mentions_table(tokens, []), GraphSettings())
    write_table(graph, tmp_path / "graph", "document_graph")
    rows = read_table(tmp_path / "graph", "document_graph")
    assert list(rows["doc_id"].unique()) == ["b", "a"]
    places = list(zip(rows["doc_id"] == "a", rows["from_sent"], rows["from_token"], rows["to_sent"], rows["to_token"]))
    assert places == sorted(places)


def test_an_analyser_may_divide_sentences_differently() -> None:
    """Tokens: don 't blink well - known; words of the analyser: do n't blink well-known."""
    tokens = pd.DataFrame(
        {
            "doc_id": ["a"],
            "sent_id": [0],
            "tokens": [["don", "'t", "blink", "well", "-", "known"]],
            "starts": [[0, 3, 6, 12, 16, 17]],
            "ends": [[3, 5, 11, 16, 17, 22]],
        }
    )
    syntax = pd.DataFrame(
        {
            "doc_id": ["a"],
            "sent_id": [0],
            "forms": [["do", "n't", "blink", "well-known"]],
            "lemmas": [["do", "not", "blink", "well-known"]],
            "upos": [["AUX", "PART", "VERB", "ADJ"]],
            "heads": [[2, 2, -1, 2]],
            "starts": [[0, 2, 6, 12]],
            "ends": [[2, 5, 11, 22]],
        }
    )
    graph = document_graphs(tokens, syntax, None, GraphSettings(relations=["dependency", "lexical"]))
    # well-known stands for its longest piece; its other pieces keep their own forms, or they would be repetitions.
    assert edges_of(tokens, graph) | {"dependency": {(2, 0), (2, 1), (2, 5)}} == edges_of(tokens, graph)
    assert not (graph["relation"] == "lexical").any()


def test_without_an_analyser_the_relation_is_empty() -> None:
    tokens = tokens_table(CAT)
    nothing = syntax_table(tokens, [[-1] * 3, [-1] * 4], upos=[["_"] * 3, ["_"] * 4], lemmas=[["_"] * 3, ["_"] * 4])
    found = edges_of(tokens, document_graphs(tokens, nothing, mentions_table(tokens, []), GraphSettings()))
    assert found == CAT_EDGES | {"dependency": set(), "coreference": set()}


def test_a_span_beyond_its_sentence_touches_no_other() -> None:
    tokens = tokens_table(CAT)
    mentions = mentions_table(tokens, CAT_CHAINS).assign(head_start=[100, 0], head_end=[200, 2])
    assert len(document_graphs(tokens, None, mentions, GraphSettings(relations=["coreference"]))) == 0


@pytest.mark.parametrize("table", ["syntax", "coreference"])
def test_a_table_about_other_sentences_is_refused(table: str) -> None:
    tokens = tokens_table(CAT)
    other = tokens.assign(sent_id=[0, 5])
    syntax = syntax_table(other if table == "syntax" else tokens, CAT_HEADS)
    mentions = mentions_table(other if table == "coreference" else tokens, CAT_CHAINS)
    with pytest.raises(InputError, match=f"table {table}: document cat, sentence 5 has no tokens"):
        document_graphs(tokens, syntax, mentions, GraphSettings())


def test_no_documents_give_no_edges() -> None:
    tokens = tokens_table(CAT)[:0]
    graph = document_graphs(tokens, syntax_table(tokens, [], [], []), mentions_table(tokens, []), GraphSettings())
    assert len(graph) == 0


def test_the_filter_bounds_the_edges_of_a_long_document() -> None:
    """10,000 words, a tenth of them one word: a quadratic number of edges without the filter, a linear one with it."""
    words = ["of" if number % 10 == 0 else f"w{number // 30}" for number in range(10_000)]
    tokens = tokens_table({"long": [words[start : start + 25] for start in range(0, len(words), 25)]})
    for kept, bound in [("none", 1000 * 999 // 2 + 27 * 10_000), (30, 27 * 10_000)]:
        settings = GraphSettings(relations=["lexical"], lexical_filter=kept)  # type: ignore[arg-type]
        assert 9_000 < len(document_graphs(tokens, None, None, settings)) <= bound
