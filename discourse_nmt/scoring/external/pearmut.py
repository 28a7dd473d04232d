"""Human evaluation with Pearmut (Zouhar and Kocmi 2026): a campaign of whole documents, and its annotations as scores.

The protocol is ESA (Kocmi et al. 2024): an annotator marks errors in a translation, then gives a score from 0 to 100.
Each document of each system is shown by itself, with no name of the system.
"""

import random
from collections.abc import Mapping, Sequence

import pandas as pd

from discourse_nmt.base.errors import InputError

SIGNATURE = "human|protocol:ESA|better:higher"
REMEDY = "download the annotations again"
RESET = "__RESET__"  # an annotator begins again: what stands before is void
SEVERITIES = ("minor", "major")

Texts = Mapping[str, Sequence[str]]
"""The sentences of each document."""


def campaign(
    name: str, sources: Texts, systems: Mapping[str, Texts], *, annotators: int, documents: int | None, seed: int
) -> dict[str, object]:
    """A campaign, as ``pearmut add`` reads it.

    ``documents`` are drawn (None: all are taken) and dealt out; one annotator sees all systems' translations of a
    document, so that strictness is the same for all of them, in an order that is drawn, too.

    Raises :class:`InputError`: fewer documents than annotators, a system whose name is a number.
    """
    for system in systems:
        if system.isdigit():
            raise InputError(f"Pearmut reads no system named {system}", remedy="name it: NAME=FILE")
    draw = random.Random(seed)
    chosen = list(sources)
    draw.shuffle(chosen)
    chosen = chosen[:documents]
    if len(chosen) < annotators:
        raise InputError(f"{len(chosen)} documents for {annotators} annotators", remedy="give each at least one")
    tasks = []
    for annotator in range(annotators):
        shown = [(document, system) for document in chosen[annotator::annotators] for system in systems]
        draw.shuffle(shown)
        tasks.append(
            [_items(document, sources[document], system, systems[system][document]) for document, system in shown]
        )
    return {"campaign_id": name, "info": {"assignment": "task-based", "protocol": "ESA"}, "data": tasks}


def _items(document: str, sources: Sequence[str], system: str, translations: Sequence[str]) -> list[dict[str, object]]:
    """The sentences of a document; Pearmut keeps ``doc_id`` and ``sent_id`` beside what it reads."""
    return [
        {"item_id": f"{document} {number}", "doc_id": document, "sent_id": number, "src": source, "tgt": {system: text}}
        for number, (source, text) in enumerate(zip(sources, translations, strict=True))
    ]


def annotations_of(entries: Sequence[object], *, file: str) -> pd.DataFrame:
    """A row for each annotated sentence of a system: system, doc_id, sent_id, score, and the number of errors.

    ``entries`` are those of Pearmut's log, in order. The last annotation of an annotator counts; over annotators, score
    and errors are means. What an annotator did before beginning again, and tutorials, do not count.

    Raises :class:`InputError`: an entry of another form, or not of a campaign of :func:`campaign`; no annotation.
    """
    found: dict[tuple[str, str, str, int], dict[str, float]] = {}
    for number, entry in enumerate(entries, start=1):
        if not isinstance(entry, dict):
            raise _fault(file, number, "is no object")
        user = str(entry.get("user_id"))
        if entry.get("annotation") == RESET:
            found = {key: value for key, value in found.items() if key[0] != user}
            continue
        items, annotations = entry.get("item"), entry.get("annotation")
        if not isinstance(entry.get("item_i"), int):
            continue
        if not isinstance(items, list) or not isinstance(annotations, list) or len(items) != len(annotations):
            raise _fault(file, number, "has no annotation for each item")
        for item, of_systems in zip(items, annotations):
            for system, annotation in _object(of_systems, file, number).items():
                values = _object(annotation, file, number)
                if values.get("score") is not None:
                    found[user, system, *_place(item, file, number)] = _values(values, file, number)
    if not found:
        raise InputError("holds no scores", file=file, remedy=REMEDY)
    keys = pd.DataFrame(list(found), columns=["user", "system", "doc_id", "sent_id"])
    table = keys.join(pd.DataFrame(list(found.values())))
    return table.groupby(["system", "doc_id", "sent_id"], sort=False)[["score", *SEVERITIES]].mean().reset_index()


def _object(value: object, file: str, number: int) -> Mapping[str, object]:
    """An annotation, or the annotations of an item by system; empty where there is none."""
    if value is not None and not isinstance(value, dict):
        raise _fault(file, number, "has an annotation that is no object")
    return value or {}


def _place(item: object, file: str, number: int) -> tuple[str, int]:
    place = (item.get("doc_id"), item.get("sent_id")) if isinstance(item, dict) else (None, None)
    document, sentence = place
    if not isinstance(document, str) or not isinstance(sentence, int):
        raise _fault(file, number, "has an item without doc_id and sent_id")
    return document, sentence


def _values(annotation: Mapping[str, object], file: str, number: int) -> dict[str, float]:
    score, spans = annotation["score"], annotation.get("error_spans") or []
    if isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= 100:
        raise _fault(file, number, f"has the score {score!r}")
    severities = [span.get("severity") for span in spans if isinstance(span, dict)] if isinstance(spans, list) else []
    return {"score": float(score)} | {name: float(severities.count(name)) for name in SEVERITIES}


def _fault(file: str, number: int, message: str) -> InputError:
    return InputError(f"entry {number} {message}", file=file, remedy=REMEDY)


def common_scores(table: pd.DataFrame, system: str, other: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The ``metric_scores`` of both, of the sentences that both have scores of, in one order."""
    sides = [table[table["system"] == name].set_index(["doc_id", "sent_id"]) for name in (system, other)]
    common = sides[0].index.intersection(sides[1].index).sort_values()
    first, second = (side.loc[common, ["score"]].reset_index().assign(level="segment") for side in sides)
    return first, second
