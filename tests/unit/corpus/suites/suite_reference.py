"""Literal evaluations of test suites from their raw files, by explicit loops, as the authors' scripts count.

A ``Scorer`` gives the log-probability of a target sentence from the source sentences, the earlier target sentences and
itself, as a system does. Every function returns items right and items, by name of a subset.
"""

import gzip
import json
import string
import tarfile
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

Scorer = Callable[[tuple[str, ...], tuple[str, ...], str], int]
Counts = dict[str, list[int]]


def count(counts: Counts, right: bool, *names: str) -> None:
    for name in ("all", *names):
        counts[name][0] += right
        counts[name][1] += 1


def unpacked(file: str) -> str:
    return gzip.decompress(Path(file).read_bytes()).decode("utf-8")


def text_score(scorer: Scorer, source: list[str], target: list[str]) -> int:
    """The log-probability of a whole target text: the sum over its sentences."""
    total = 0
    for place, sentence in enumerate(target):
        total += scorer(tuple(source), tuple(target[:place]), sentence)
    return total


def voita(files: list[str], scorer: Scorer) -> Counts:
    """Right where the true text of a group is more probable than every other, all four sentences together."""
    counts: Counts = defaultdict(lambda: [0, 0])
    for file in files:
        for group in json.loads(unpacked(file)):
            source = [sentence.strip() for sentence in group["src"].split("_eos")]
            texts = [[sentence.strip() for sentence in text.split("_eos")] for text in group["dst"]]
            scores = [text_score(scorer, source, text) for text in texts]
            true = group["true_ind"]
            right = all(scores[true] > score for place, score in enumerate(scores) if place != true)
            count(counts, right, Path(file).name.split(".")[0], f"distance {group['ctx_dist']}")
    return counts


def contrapro(source: str, target: str, groups: str, scorer: Scorer) -> Counts:
    """Right where the first line of a group is more probable than every other, given one context sentence."""
    counts: Counts = defaultdict(lambda: [0, 0])
    sides = [unpacked(file).split("\n") for file in (source, target)]
    starts = [int(line) for line in Path(groups).read_text(encoding="utf-8").split()]
    for place in range(len(starts) - 1):
        scores = []
        for line in range(starts[place], starts[place + 1]):
            (before, now), (then, sentence) = (side[line].split("<SEP>") for side in sides)
            scores.append(scorer((before.strip(), now.strip()), (then.strip(),), sentence.strip()))
        count(counts, all(scores[0] > score for score in scores[1:]), "pronoun")
    return counts


def contracat(archive: str, names: tuple[str, ...], scorer: Scorer) -> Counts:
    """Right where the line of the right gender is more probable than the two others of its triple."""
    counts: Counts = defaultdict(lambda: [0, 0])
    with tarfile.open(archive) as members:
        for name in names:
            english, german, genders = (
                members.extractfile(f"contracat_templates/{name}/{file}.txt").read().decode().split("\n")  # type: ignore[union-attr]
                for file in ("en", "de", "genders")
            )
            for first in range(0, len(english) - 1, 3):
                scores = {}
                for line, gender in zip(range(first, first + 3), "mfn"):
                    source = tuple(text.strip() for text in english[line].split("<SEP>"))
                    before, sentence = (text.strip() for text in german[line].split("<SEP>"))
                    scores[gender] = scorer(source, (before,), sentence)
                others = [score for gender, score in scores.items() if gender != genders[first]]
                parts = name.split("/")
                subsets = ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]
                count(counts, all(scores[genders[first]] > score for score in others), *subsets)
    return counts


def discevalmt(anaphora: str, lexical_choice: str, scorer: Scorer) -> Counts:
    """Right where the correct text is more probable than the incorrect one; blocks where all of theirs are."""
    counts: Counts = defaultdict(lambda: [0, 0])
    for block in json.loads(Path(anaphora).read_text(encoding="utf-8")).values():
        found = []
        for target in block["trg"]:
            key = "correct" if "correct" in target else "semi-correct"
            right = text_score(scorer, block["src"], target[key])
            found.append(right > text_score(scorer, block["src"], target["incorrect"]))
            kind = f"anaphora/{target['type']}"
            count(counts, found[-1], "anaphora", kind, f"{kind}/{key}", "distance 1")
        counts["whole blocks"][0] += all(found)
        counts["whole blocks"][1] += 1
    for block in json.loads(Path(lexical_choice).read_text(encoding="utf-8")).values():
        found = []
        for example in block["examples"]:
            right = text_score(scorer, example["src"], example["trg"]["correct"])
            found.append(right > text_score(scorer, example["src"], example["trg"]["incorrect"]))
            count(counts, found[-1], "lexical choice", f"lexical choice/{block['type']}", "distance 1")
        counts["whole blocks"][0] += all(found)
        counts["whole blocks"][1] += 1
    return counts


def has_form(translation: str, form: str) -> bool:
    """Ctxpro's test of one translation, letter by letter."""
    kept = ""
    for letter in translation.lower():
        if letter not in string.punctuation:
            kept += letter
    return " " + form.lower() + " " in " " + kept + " "


def ctxpro(file: str, translations: list[str]) -> Counts:
    """Right where the translation has the expected form."""
    counts: Counts = defaultdict(lambda: [0, 0])
    for item, translation in zip(json.loads(Path(file).read_text(encoding="utf-8")), translations):
        names = [item["rule"], f"distance {item['ante distance']}"]
        names += ["distance above 3"] if item["ante distance"] > 3 else []
        count(counts, has_form(translation, item["expected"]), *names)
    return counts
