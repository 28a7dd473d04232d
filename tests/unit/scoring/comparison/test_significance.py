"""P-values: those of sacrebleu's command line, of literal tests on texts, of enumeration, and their calibration."""

import json
import math
import random
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discourse_nmt.scoring.comparison.significance import (
    Statistics,
    approximate_randomisation,
    exact_randomisation,
    paired_bootstrap,
    sacrebleu_randomisation,
    statistics,
    summed_by_unit,
)
from discourse_nmt.scoring.metrics.bleu import Measure, bleu, chrf, ter
from tests.unit.scoring.comparison import significance_reference as reference
from tests.unit.scoring.metrics.test_bleu import GERMAN, real_lines, worsen

MEASURES = [bleu("s-BLEU", "de", False), chrf(False), ter("de")]
SEED = 12345  # sacrebleu's own


def rows(measure: Measure, hypotheses: list[str], references: list[str]) -> Statistics:
    return statistics(measure, hypotheses, references)


def paired_command(folder: Path, texts: dict[str, list[str]], *options: str) -> str:
    """What ``python -m sacrebleu`` says of a system beside a baseline."""
    for name, lines in texts.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    files = [str(folder / name) for name in ("reference", "baseline", "system")]
    call = [sys.executable, "-m", "sacrebleu", files[0], "-i", *files[1:], "-m", "bleu", "chrf", "ter"]
    done = subprocess.run(
        [*call, "--chrf-word-order", "2", "--force", *options], capture_output=True, text=True, check=True
    )
    return done.stdout


def test_p_values_over_sentences_equal_the_command_line(shared_data: Path, tmp_path: Path) -> None:
    lines = real_lines(shared_data, 80)
    texts = {"reference": lines, "baseline": worsen(lines, 1), "system": worsen(lines, 2)}
    said = json.loads(paired_command(tmp_path, texts, "--paired-ar", "--paired-ar-n", "200", "-f", "json"))[1]
    table = paired_command(tmp_path, texts, "--paired-bs", "--paired-bs-n", "200", "-f", "latex")
    bootstrapped = re.findall(r"\(p = ([\d.]+)\)", table)
    signatures = re.findall(r"^ - \S+ +(\S+)$", table, re.MULTILINE)
    for place, (measure, name) in enumerate(zip(MEASURES, ("BLEU", "chrF2++", "TER"))):
        own, other = (rows(measure, texts[side], lines) for side in ("system", "baseline"))
        assert sacrebleu_randomisation(measure.metric, own, other, 200, SEED) == said[name]["p_value"]
        # Four decimals tell all values apart that 200 samples can have.
        assert f"{paired_bootstrap(measure.metric, own, other, 200, SEED):.4f}" == bootstrapped[place]
        assert measure.signature(bs=200, seed=SEED) == signatures[place]
        assert 1 / 201 < said[name]["p_value"] < 1


def documents(shared_data: Path) -> list[list[str]]:
    lines = real_lines(shared_data, 40)
    return [lines[start : start + 1 + start % 4] for start in range(0, 36, 4)]


def translated(texts: list[list[str]], seed: int) -> list[list[str]]:
    return [worsen(document, seed + place) for place, document in enumerate(texts)]


def by_document(measure: Measure, hypotheses: list[list[str]], references: list[list[str]]) -> Statistics:
    names = [str(place) for place, document in enumerate(references) for _ in document]
    texts, wanted = ([line for document in side for line in document] for side in (hypotheses, references))
    return summed_by_unit(rows(measure, texts, wanted), names)


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)
def test_p_values_over_documents_equal_a_literal_test(measure: Measure, shared_data: Path) -> None:
    references = documents(shared_data)
    system, baseline = ([translated(references, 10 * seed + first) for seed in (1, 2)] for first in (0, 500))
    own, other = ([by_document(measure, texts, references) for texts in side] for side in (system, baseline))
    for seeds in (slice(1), slice(2)):
        found = approximate_randomisation(measure.metric, own[seeds], other[seeds], 40, 7)
        wanted = reference.randomisation(measure.metric, system[seeds], baseline[seeds], references, 40, 7)
        assert found == wanted
    found = paired_bootstrap(measure.metric, own[0], other[0], 40, 7)
    assert found == reference.bootstrap(measure.metric, system[0], baseline[0], references, 40, 7)


@pytest.mark.parametrize("measure", MEASURES[:2], ids=lambda measure: measure.name)
def test_randomisation_is_sacrebleus_where_nothing_ties(measure: Measure, shared_data: Path) -> None:
    lines = real_lines(shared_data, 120)
    own, other = (rows(measure, worsen(lines, seed), lines) for seed in (1, 2))
    wanted = sacrebleu_randomisation(measure.metric, own, other, 300, SEED)
    assert approximate_randomisation(measure.metric, [own], [other], 300, SEED) == wanted
    assert approximate_randomisation(measure.metric, [own, own], [other, other], 300, SEED) == wanted


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)
def test_identical_systems_do_not_differ(measure: Measure) -> None:
    same = rows(measure, worsen(GERMAN * 4, 1), GERMAN * 4)
    for test in (paired_bootstrap, sacrebleu_randomisation):
        assert test(measure.metric, same, same.copy(), 50, SEED) == 1
    assert approximate_randomisation(measure.metric, [same], [same], 50, SEED) == 1
    assert exact_randomisation(np.zeros(9, dtype=np.int64)) == 1


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)
def test_a_clear_difference_is_significant(measure: Measure) -> None:
    good, bad = (rows(measure, lines, GERMAN * 8) for lines in (GERMAN * 8, worsen(GERMAN * 8, 1)))
    for test in (paired_bootstrap, sacrebleu_randomisation):
        assert test(measure.metric, good, bad, 200, SEED) < 0.01
    assert approximate_randomisation(measure.metric, [good], [bad], 200, SEED) < 0.01


def test_one_differing_unit_is_no_evidence() -> None:
    """Either exchange of it gives the observed difference, which sacrebleu's strict count does not see."""
    measure = MEASURES[0]
    own = rows(measure, GERMAN * 4, GERMAN * 4)
    other = rows(measure, [*(GERMAN * 4)[:-1], "Etwas anderes."], GERMAN * 4)
    assert sacrebleu_randomisation(measure.metric, own, other, 99, SEED) < 0.05
    assert approximate_randomisation(measure.metric, [own], [other], 99, SEED) == 1


def test_seeds_that_disagree_are_no_evidence_together() -> None:
    measure = MEASURES[2]
    good, bad = (rows(measure, lines, GERMAN * 8) for lines in (GERMAN * 8, worsen(GERMAN * 8, 1)))
    assert approximate_randomisation(measure.metric, [good, bad], [bad, good], 99, SEED) == 1
    assert approximate_randomisation(measure.metric, [good, good], [bad, good], 99, SEED) < 0.05


def test_tests_keep_their_level_where_documents_are_independent() -> None:
    """Neither system is better, but each has good and bad documents: 60 of 8 sentences, in 400 experiments.

    Sentences of a document are then no independent evidence, and tests over sentences find differences too often. The
    bootstrap counts one tail, so that it finds a difference in either direction twice as often as its level says.
    """
    chance = np.random.default_rng(3)
    metric, names = ter("de").metric, [str(number) for number in range(60) for _ in range(8)]
    found = {"sentences": 0, "documents": 0, "bootstrap": 0}
    for seed in range(1, 401):
        lengths = chance.integers(5, 30, size=480)
        rates = np.repeat(chance.uniform(0.2, 0.6, size=(2, 60)), 8, axis=1)
        own, other = (np.stack([chance.binomial(lengths, rate), lengths], axis=1).astype(float) for rate in rates)
        mine, others = summed_by_unit(own, names), summed_by_unit(other, names)
        found["sentences"] += sacrebleu_randomisation(metric, own, other, 99, seed) <= 0.05
        found["documents"] += approximate_randomisation(metric, [mine], [others], 99, seed) <= 0.05
        found["bootstrap"] += paired_bootstrap(metric, mine, others, 99, seed) <= 0.05
    # Three standard errors around 5 and 10 per cent of 400.
    assert 7 <= found["documents"] <= 33
    assert 22 <= found["bootstrap"] <= 58
    assert found["sentences"] > 100


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=9))
def test_exact_randomisation_is_that_of_all_signs(differences: list[int]) -> None:
    assert exact_randomisation(np.array(differences)) == pytest.approx(reference.sign_test(differences), abs=1e-12)


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 5))
def test_exact_randomisation_of_single_items_is_mcnemars_exact_test(gained: int, lost: int, equal: int) -> None:
    differences = np.array([1] * gained + [-1] * lost + [0] * equal, dtype=np.int64)
    discordant, fewer = gained + lost, min(gained, lost)
    tail = sum(math.comb(discordant, number) for number in range(fewer + 1)) / 2**discordant
    assert exact_randomisation(differences) == pytest.approx(min(1.0, 2 * tail), rel=1e-12)


def test_exact_randomisation_is_approximated_by_draws() -> None:
    differences = np.array(random.Random(1).choices([-3, -1, 0, 1, 2, 4], k=60))
    signs = np.random.default_rng(1).choice([-1, 1], size=(20000, 60))
    share = np.mean(np.abs(signs @ differences) >= abs(differences.sum()))
    assert exact_randomisation(differences) == pytest.approx(float(share), abs=0.015)


def test_sums_keep_the_order_of_units() -> None:
    values = np.arange(8.0).reshape(4, 2)
    assert summed_by_unit(values, ["b", "a", "b", "c"]).tolist() == [[4, 6], [2, 3], [6, 7]]
