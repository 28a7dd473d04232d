"""Consistency of address: how often neighbouring sentences of a scene have the same form of *you* in translation.

Only items of address count (:func:`.addressed`), so a form elsewhere in a translation does not.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

import pandas as pd

from discourse_nmt.corpus.address.addressed import Addressed, addressed
from discourse_nmt.corpus.address.forms import are_known, form_of_address
from discourse_nmt.corpus.address.scenes import rows_of
from discourse_nmt.scoring.metrics.bleu import primary
from discourse_nmt.scoring.metrics.score import Score

Couples = list[tuple[Addressed, Addressed]]


class Verdict(NamedTuple):
    """Whether the hypotheses of two sentences of a document have one form of *you*, and whether the references do.

    It is None if the hypothesis of one of them has no form, or several.
    """

    doc_id: str
    equal: bool | None
    in_reference: bool


def metric_of(kind: str) -> str:
    """The name of the consistency of a kind of pairs."""
    return f"address consistency ({kind})"


def signature_of(languages: tuple[str, str]) -> str:
    """How pairs and forms are found, for translations between these languages."""
    return f"forms:{primary(languages[1])}|items:source+reference"


def verdicts(sentences: pd.DataFrame, pairs: pd.DataFrame, languages: tuple[str, str]) -> dict[str, list[Verdict]]:
    """The verdicts about neighbouring sentences of one speaker, and of any, by kind.

    ``sentences`` is the table of the test set, ``pairs`` comes from :func:`.pair`, ``languages`` are those of source
    and target. A kind without pairs is left out, as are both for languages whose words are not known, and without
    speakers and scenes.
    """
    source, target = map(primary, languages)
    if not are_known(source, target) or sentences[["speaker", "scene"]].isna().all(axis=None):
        return {}
    hypotheses = dict(zip(zip(pairs["doc_id"], pairs["sent_id"]), pairs["hypothesis"]))
    scenes = [
        [sentence for sentence in scene if not sentence.repeated] for scene in addressed(rows_of(sentences), target)
    ]
    found = {"same speaker": of_speakers(scenes), "any speaker": of_scenes(scenes)}
    return {
        kind: [_verdict(*couple, hypotheses, target) for couple in couples]
        for kind, couples in found.items()
        if couples
    }


def address_scores(sentences: pd.DataFrame, pairs: pd.DataFrame, languages: tuple[str, str]) -> list[Score]:
    """Consistency of hypothesis and reference in per cent, the number of pairs, and of those without a verdict.

    The arguments are those of :func:`verdicts`.
    """
    scores, signature = [], signature_of(languages)
    for kind, told in verdicts(sentences, pairs, languages).items():
        decided = [verdict.equal for verdict in told if verdict.equal is not None]
        if decided:
            scores.append(Score(metric_of(kind), _share(decided), signature))
        reference = _share([verdict.in_reference for verdict in told])
        scores += [
            Score(f"address consistency of the reference ({kind})", reference, signature),
            Score(f"address, pairs ({kind})", len(told), "count"),
            Score(f"address, pairs without a verdict ({kind})", len(told) - len(decided), "count"),
        ]
    return scores


def of_scenes(scenes: Iterable[list[Addressed]]) -> Couples:
    """Each sentence of a scene with the next one."""
    return [couple for scene in scenes for couple in pairwise(scene)]


def of_speakers(scenes: Iterable[list[Addressed]]) -> Couples:
    """Each sentence of a scene with the next one of its speaker; nobody speaks with those whose speaker is unknown."""
    found: Couples = []
    for scene in scenes:
        last: dict[str, Addressed] = {}
        for sentence in scene:
            if sentence.speaker is not None:
                found += [(last[sentence.speaker], sentence)] if sentence.speaker in last else []
                last[sentence.speaker] = sentence
    return found


def _verdict(first: Addressed, second: Addressed, hypotheses: dict[tuple[str, int], str], language: str) -> Verdict:
    forms = [
        form_of_address(row["source"], hypotheses[row["doc_id"], row["sent_id"]], language)
        for row in (first.row, second.row)
    ]
    equal = None if None in forms else forms[0] == forms[1]
    return Verdict(first.row["doc_id"], equal, first.form == second.form)


def _share(verdicts: Sequence[bool]) -> float:
    return 100 * sum(verdicts) / len(verdicts)
