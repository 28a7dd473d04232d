"""Consistency of address: how often neighbouring sentences of a scene have the same form of *you* in translation.

Only items of address count (:func:`.addressed`), so a form elsewhere in a translation does not.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise

import pandas as pd

from discourse_nmt.corpus.address.addressed import Addressed, addressed
from discourse_nmt.corpus.address.forms import are_known, form_of_address
from discourse_nmt.corpus.address.scenes import rows_of
from discourse_nmt.scoring.metrics.bleu import primary
from discourse_nmt.scoring.metrics.score import Score

Couples = list[tuple[Addressed, Addressed]]


def address_scores(sentences: pd.DataFrame, pairs: pd.DataFrame, languages: tuple[str, str]) -> list[Score]:
    """Consistency of hypothesis and reference in per cent, the number of pairs, and of those without a verdict.

    ``sentences`` is the table of the test set, ``pairs`` comes from :func:`.pair`, ``languages`` are those of source
    and target. There are no scores for languages whose words are not known, without speakers and scenes, or without
    pairs. A pair has no verdict if the hypothesis of a sentence has no form, or several.
    """
    source, target = map(primary, languages)
    if not are_known(source, target) or sentences[["speaker", "scene"]].isna().all(axis=None):
        return []
    hypotheses = dict(zip(zip(pairs["doc_id"], pairs["sent_id"]), pairs["hypothesis"]))
    scenes = [
        [sentence for sentence in scene if not sentence.repeated] for scene in addressed(rows_of(sentences), target)
    ]
    scores = []
    for kind, couples in {"same speaker": of_speakers(scenes), "any speaker": of_scenes(scenes)}.items():
        if not couples:
            continue
        forms = [tuple(_form(one, hypotheses, target) for one in couple) for couple in couples]
        decided = [couple for couple in forms if None not in couple]
        signature = f"forms:{target}|items:source+reference"
        if decided:
            scores.append(Score(f"address consistency ({kind})", _equal(decided), signature))
        reference = _equal([(first.form, second.form) for first, second in couples])
        scores += [
            Score(f"address consistency of the reference ({kind})", reference, signature),
            Score(f"address, pairs ({kind})", len(couples), "count"),
            Score(f"address, pairs without a verdict ({kind})", len(couples) - len(decided), "count"),
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


def _form(sentence: Addressed, hypotheses: dict[tuple[str, int], str], language: str) -> str | None:
    row = sentence.row
    return form_of_address(row["source"], hypotheses[row["doc_id"], row["sent_id"]], language)


def _equal(couples: Sequence[tuple[str | None, ...]]) -> float:
    return 100 * sum(first == second for first, second in couples) / len(couples)
