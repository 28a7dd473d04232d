"""Word graphs of documents (spec 03, section 4): the table ``document_graph`` from tokens, syntax and coreference.

Nodes are the words of the tokeniser, so that every word of the translation systems is a node. A relation is empty if
its analyser has no model for the language.
"""

import numpy as np
import pandas as pd

from discourse_nmt.base.arrays import Integers
from discourse_nmt.base.relations import RELATIONS
from discourse_nmt.discourse.graph.relations import Edges, adjacency, coreference, dependency, repetition
from discourse_nmt.discourse.graph.words import AnnotatedWords, annotation_of, words_of
from discourse_nmt.discourse.settings import GraphSettings

NO_EDGES: Edges = (np.empty(0, np.int64), np.empty(0, np.int64))


def document_graphs(
    tokens: pd.DataFrame, syntax: pd.DataFrame | None, mentions: pd.DataFrame | None, settings: GraphSettings
) -> pd.DataFrame:
    """The table ``document_graph`` of one side of some documents.

    ``tokens``, ``syntax`` and ``mentions`` (the table ``coreference``) are of that side; a table that no chosen
    relation needs may be None. Raises :class:`InputError` for tables of different sentences.
    """
    words = words_of(tokens)
    annotation = None if syntax is None else annotation_of(words, syntax)
    edges: dict[str, Edges] = {}
    if "adjacency" in settings.relations:
        edges["adjacency"] = adjacency(words.rows)
    if "dependency" in settings.relations and annotation is not None:
        edges["dependency"] = dependency(annotation.nodes, annotation.heads)
    if "lexical" in settings.relations:
        # Punctuation and symbols have no lexical edges.
        linked = np.array([any(map(str.isalnum, form)) for form in words.forms], bool)
        if settings.lexical_filter == "stopwords" and annotation is not None:
            linked &= ~annotation.function
        most_frequent = settings.lexical_filter if isinstance(settings.lexical_filter, int) else None
        lemmas = words.forms if annotation is None else annotation.lemmas
        edges["lexical"] = repetition(words.documents[words.rows], words.forms, lemmas, linked, most_frequent)
    if "coreference" in settings.relations and mentions is not None:
        edges["coreference"] = _coreference(words, mentions, settings.coreference_links == "all_pairs")
    return _table(words, edges)


def _coreference(words: AnnotatedWords, mentions: pd.DataFrame, all_pairs: bool) -> Edges:
    rows = words.rows_of(mentions, "coreference")
    heads = words.at(rows, *(mentions[f"head_{border}"].to_numpy(np.int64) for border in ("start", "end")))
    chains = mentions["chain_id"].to_numpy(np.int64)
    documents = words.documents[rows]
    return coreference(documents * (1 + chains.max(initial=0)) + chains, heads, all_pairs)


def _table(words: AnnotatedWords, edges: dict[str, Edges]) -> pd.DataFrame:
    """The table of the edges, in text order, each edge once per relation."""
    size = len(words)
    keys = [
        (sources * size + targets) * len(RELATIONS) + RELATIONS.index(name)
        for name, (sources, targets) in edges.items()
    ]
    ordered = np.sort(np.concatenate([NO_EDGES[0], *keys]))  # np.unique hashes and takes ten times as long
    node_pairs, relations = np.divmod(ordered[np.diff(ordered, prepend=-1) > 0], len(RELATIONS))
    sources, targets = np.divmod(node_pairs, max(1, size))
    rows, sent_ids = words.rows, words.keys.get_level_values("sent_id").to_numpy(np.int32)
    documents = words.keys.get_level_values("doc_id").unique()

    def position(nodes: Integers) -> tuple[np.ndarray, np.ndarray]:
        return sent_ids[rows[nodes]], (nodes - words.offsets[rows[nodes]]).astype(np.int32)

    from_sent, from_token = position(sources)
    to_sent, to_token = position(targets)
    return pd.DataFrame(
        {
            "doc_id": pd.Categorical.from_codes(words.documents[rows[sources]], documents),
            "relation": pd.Categorical.from_codes(relations, pd.Index(RELATIONS)),
            "from_sent": from_sent,
            "from_token": from_token,
            "to_sent": to_sent,
            "to_token": to_token,
        }
    )
