"""Values equal sacrebleu's command line and a literal multi-bleu.perl."""

import json
import math
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from discourse_nmt.scoring.metrics import bleu as bleu_module
from discourse_nmt.scoring.metrics.bleu import bleu, chrf, length_ratio, multi_bleu, ter, tokeniser
from discourse_nmt.scoring.metrics.documents import join
from discourse_nmt.scoring.metrics.score import Score
from discourse_nmt.scoring.metrics.translation import measured_segments

GERMAN = [
    "Der Hund bellt, weil er Hunger hat.",
    "Sie öffnete das Fenster; draußen war es kalt – sehr kalt!",
    "3,5 % der Befragten sagten „nein“.",
    "Ja.",
    "Das ist der Grund, warum ich hier bin & bleibe.",
]
CHINESE = ["我们今天去公园散步。", "你好,世界!", "他在2020年买了一本书(很贵)。"]


def worsen(lines: list[str], seed: int) -> list[str]:
    """Hypotheses: words lost, doubled and exchanged, one line in seven empty."""
    chance = random.Random(seed)
    worse = []
    for line in lines:
        words = [word for word in line.split(" ") for _ in range(chance.choice([0, 1, 1, 1, 1, 1, 2]))]
        if len(words) > 2 and chance.random() < 0.5:
            place = chance.randrange(len(words) - 1)
            words[place], words[place + 1] = words[place + 1], words[place]
        worse.append("" if chance.random() < 1 / 7 else " ".join(words))
    return worse


def command_line(folder: Path, hypotheses: list[str], references: list[str], *options: str) -> list[dict[str, str]]:
    """What ``python -m sacrebleu`` says of the same segments, with 15 decimals."""
    for name, lines in (("hypothesis", hypotheses), ("reference", references)):
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    call = [sys.executable, "-m", "sacrebleu", str(folder / "reference"), "-i", str(folder / "hypothesis")]
    done = subprocess.run([*call, *options, "-w", "15", "-f", "json"], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    return found if isinstance(found, list) else [found]


def agree(score: Score, said: dict[str, str]) -> None:
    assert score.value == float(said["score"])
    assert score.signature == said["signature"]


def real_lines(shared_data: Path, number: int) -> list[str]:
    file = shared_data / "parallel" / "maruf_ende" / "TED" / "concatenated_en2de_dev_de.txt"
    text = file.read_text(encoding="utf-8")
    return [line for line in text.split("\n") if line and line != "<d>"][:number]


def compare(folder: Path, hypotheses: list[str], references: list[str]) -> None:
    options = ("-m", "bleu", "chrf", "ter", "--chrf-word-order", "2", "--force")
    said = command_line(folder, hypotheses, references, *options)
    agree(bleu("s-BLEU", "de", False).score(hypotheses, references), said[0])
    agree(chrf(False).score(hypotheses, references), said[1])
    agree(ter("de").score(hypotheses, references), said[2])


def test_values_equal_the_command_line(tmp_path: Path) -> None:
    references = GERMAN * 6
    compare(tmp_path, worsen(references, 1), references)


def test_values_equal_the_command_line_on_real_text(tmp_path: Path, shared_data: Path) -> None:
    references = real_lines(shared_data, 150)
    compare(tmp_path, worsen(references, 2), references)


def test_lowercase_equals_the_command_line(tmp_path: Path) -> None:
    hypotheses = [line.lower() for line in worsen(GERMAN * 4, 3)]
    options = ("-m", "bleu", "chrf", "-lc", "--chrf-lowercase", "--chrf-word-order", "2", "--force")
    said = command_line(tmp_path, hypotheses, GERMAN * 4, *options)
    agree(bleu("s-BLEU", "de", True).score(hypotheses, GERMAN * 4), said[0])
    agree(chrf(True).score(hypotheses, GERMAN * 4), said[1])
    assert bleu("s-BLEU", "de", False).score(hypotheses, GERMAN * 4).value < float(said[0]["score"])


def test_sentences_of_a_document_are_joined_by_spaces() -> None:
    assert join(["a b", "c", "d", "e"], ["x", "x", "y", "x"]) == ["a b c", "d", "e"]


@pytest.mark.parametrize("lowercase", [False, True])
def test_case_is_ignored_by_every_measure_or_by_none(lowercase: bool) -> None:
    """But TER, which ignores it in any case."""
    columns = {"doc_id": ["a", "a", "b"], "instance": [0, 1, 2], "reference": GERMAN[::2]}
    pairs = pd.DataFrame({**columns, "hypothesis": [line.upper() for line in GERMAN[::2]]})
    for side in ("hypothesis", "reference"):
        pairs[f"{side}_tokens"] = pairs[side].str.split(" ")
    scores = [segments.score() for segments in measured_segments(pairs, language="de", lowercase=lowercase)]
    values = {score.metric: score.value for score in scores}
    assert values.pop("TER") == 0 and len(values) == 5
    assert [value == pytest.approx(100) for value in values.values()] == [lowercase] * 5


def test_chinese_equals_the_command_line(tmp_path: Path) -> None:
    hypotheses = [line[:4] + line[5:] for line in CHINESE * 3]
    options = ("-m", "bleu", "ter", "-tok", "zh", "--ter-normalized", "--ter-asian-support")
    said = command_line(tmp_path, hypotheses, CHINESE * 3, *options)
    for language in ("zh", "zh-TW", "zh_CN", "ZH"):
        agree(bleu("s-BLEU", language, False).score(hypotheses, CHINESE * 3), said[0])
    agree(ter("zh").score(hypotheses, CHINESE * 3), said[1])
    # One wrong character is a small error: sentences are not taken as single words.
    assert 0 < ter("zh").score(hypotheses, CHINESE * 3).value < 40


@pytest.mark.parametrize(("language", "wanted"), [("ja", "ja-mecab"), ("ko", "ko-mecab")])
def test_characters_where_a_tokeniser_is_not_installed(
    language: str, wanted: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bleu_module, "find_spec", lambda package: None)
    assert tokeniser(language) == ("char", f"|instead-of:{wanted}")
    references = ["今日は公園へ行きます。", "오늘은 공원에 갑니다."]
    hypotheses = ["今日は公園に行きます。", "오늘 공원에 갑니다."]
    score = bleu("s-BLEU", language, False).score(hypotheses, references)
    said = command_line(tmp_path, hypotheses, references, "-tok", "char", "--force")[0]
    assert score.value == float(said["score"])
    assert score.signature == f"{said['signature']}|instead-of:{wanted}"


def test_installed_tokenisers_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bleu_module, "find_spec", lambda package: object())
    assert [tokeniser(language) for language in ("ja", "ko", "de")] == [
        ("ja-mecab", ""),
        ("ko-mecab", ""),
        ("13a", ""),
    ]


def test_length_ratio_counts_the_words_of_bleu() -> None:
    assert length_ratio(bleu("", "de", False), ["Nein, danke.", ""], ["Nein.", "Ja, ja."]).value == 4 / 6


def test_all_empty_hypotheses() -> None:
    empty = [""] * len(GERMAN)
    assert bleu("s-BLEU", "de", False).score(empty, GERMAN).value == 0
    assert chrf(False).score(empty, GERMAN).value == 0
    assert ter("de").score(empty, GERMAN).value == 100
    assert multi_bleu(False).score(empty, GERMAN).value == 0


def perl_multi_bleu(hypotheses: list[str], references: list[str]) -> float:
    """multi-bleu.perl of Moses with one reference, statement by statement; its value times 100."""
    correct, total = [0] * 5, [0] * 5
    length_translation = length_reference = 0
    for line, reference in zip(hypotheses, references, strict=True):
        words, reference_words = line.split(), reference.split()
        length_translation += len(words)
        length_reference += len(reference_words)
        for order in range(1, 5):
            reference_ngrams: Counter[str] = Counter()
            for start in range(len(reference_words) - (order - 1)):
                reference_ngrams[" ".join(reference_words[start : start + order])] += 1
            ngrams: Counter[str] = Counter()
            for start in range(len(words) - (order - 1)):
                ngrams[" ".join(words[start : start + order])] += 1
            for ngram, count in ngrams.items():
                total[order] += count
                correct[order] += min(count, reference_ngrams[ngram])
    precision = [correct[order] / total[order] if total[order] else 0.0 for order in range(1, 5)]
    if length_reference == 0:
        return 0.0
    brevity_penalty = 1.0
    if length_translation < length_reference:
        brevity_penalty = math.exp(1 - length_reference / length_translation)
    logarithms = [math.log(value) if value else -9999999999 for value in precision]
    return 100 * brevity_penalty * math.exp(sum(logarithms) / 4)


LINES = st.lists(st.sampled_from(["a", "b", "c", "D", ".", "&", "ein"]), max_size=9)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(LINES, LINES), min_size=1, max_size=6))
def test_multi_bleu_equals_the_perl_script(pairs: list[tuple[list[str], list[str]]]) -> None:
    hypotheses, references = [list(side) for side in zip(*pairs)]
    assume(any(hypotheses))
    texts, wanted = ([" ".join(words) for words in side] for side in (hypotheses, references))
    found = multi_bleu(False).score(texts, wanted).value
    assert found == pytest.approx(perl_multi_bleu(texts, wanted), rel=1e-12, abs=1e-12)


def test_multi_bleu_equals_the_perl_script_on_real_text(shared_data: Path) -> None:
    references = real_lines(shared_data, 400)
    hypotheses = worsen(references, 4)
    assert "" in hypotheses
    score = multi_bleu(False).score(hypotheses, references)
    assert score.value == pytest.approx(perl_multi_bleu(hypotheses, references), rel=1e-12)
    assert 5 < score.value < 95


def test_multi_bleu_is_zero_without_a_match_of_one_order() -> None:
    score = multi_bleu(False).score(["a b c x d e f"], ["a b c y d e f"])
    assert score == Score("BLEU (multi-bleu, tokenised)", 0.0, score.signature)
    assert "tok:none|smooth:none" in score.signature
    # Smoothed BLEU of the same words is not.
    assert bleu("s-BLEU", "de", False).score(["a b c x d e f"], ["a b c y d e f"]).value > 0
