"""Sizes that ``discourse-nmt new`` proposes for a corpus and a machine, and the estimate of what they cost."""

from dataclasses import replace

import numpy as np
import pytest
import yaml

from discourse_nmt.models.systems import system_named
from discourse_nmt.new_configuration.facts import Facts
from discourse_nmt.new_configuration.machine import Machine, Network
from discourse_nmt.new_configuration.page import duration, estimate, flow, size
from discourse_nmt.new_configuration.sizes import (
    LEAST_TESTED,
    RELATIVE_RATE,
    SIZES,
    limited,
    significance,
    sizes_for,
)
from discourse_nmt.scoring.comparison.significance import exact_randomisation

SMALL = Machine(2, 8.0, 0.0)
LARGE = Machine(16, 128.0, 80.0)


def facts(pairs: int) -> Facts:
    return Facts(documents=max(3, pairs // 50), pairs=pairs, source_words=20 * pairs, target_words=20 * pairs)


def test_larger_corpora_get_larger_models_and_never_fewer_subwords() -> None:
    rows = [sizes_for(facts(pairs), LARGE, "en") for pairs in (200, 5_000, 50_000, 500_000, 5_000_000)]
    assert [row.model["width"] for row in rows] == [128, 192, 256, 512, 512]
    assert [row.merges for row in rows] == sorted(row.merges for row in rows)
    for row in rows:
        assert row.model["width"] % row.model["heads"] == 0 and row.held_out >= 1
        assert 200 <= row.updates <= 100_000


def test_short_sentences_give_fewer_subwords() -> None:
    """A thousand merges for each 20,000 subwords of the text, which is 1.3 times as long in subwords as in words."""
    some = Facts(documents=70, pairs=3_500, source_words=7_000, target_words=7_000)
    merges = [sizes_for(replace(some, target_words=words), SMALL, "en").merges for words in (7_000, 46_000, 10**6)]
    assert merges == [1_000, 3_000, 4_000]


def test_a_cpu_gets_no_model_for_gpus() -> None:
    small, large = (sizes_for(facts(5_000_000), each, "en") for each in (SMALL, LARGE))
    assert (small.model["width"], large.model["width"]) == (256, 512)
    assert large.batch_tokens > small.batch_tokens


def test_cores_become_processes_whose_batches_hold_whole_documents() -> None:
    cases = [(5_000, 2), (5_000, 16), (50_000, 16)]
    rows = [sizes_for(facts(pairs), replace(SMALL, cores=cores), "en") for pairs, cores in cases]
    assert [(row.processes, row.threads) for row in rows] == [(2, 1), (2, 8), (4, 4)]
    assert all(row.batch_tokens // row.processes >= 1_000 for row in rows)
    large = sizes_for(facts(5_000_000), LARGE, "en")
    assert (large.processes, large.threads) == (1, LARGE.cores)


def test_trees_are_proposed_where_there_is_a_parser() -> None:
    assert sizes_for(facts(5_000), SMALL, "en").systems == ("g_transformer", "rst_transformer")
    assert sizes_for(facts(5_000), SMALL, "fi").systems == ("g_transformer",)


def test_the_longer_side_decides_the_updates() -> None:
    some = facts(20_000)
    longer = replace(some, source_words=2 * some.source_words), replace(some, target_words=2 * some.target_words)
    found, *others = (sizes_for(one, SMALL, "en").updates for one in (some, *longer))
    assert others == [pytest.approx(2 * found, rel=0.05)] * 2


@pytest.mark.parametrize("system", RELATIVE_RATE)
def test_a_document_level_system_trains_for_a_third_of_the_updates_at_its_own_rate(system: str) -> None:
    sizes = sizes_for(facts(20_000), SMALL, "en")
    assert sizes.updates > 2_000 and sizes.later_updates == sizes.updates // 3
    assert replace(sizes, updates=200).later_updates == 100
    alone, both = (replace(sizes, systems=systems).training_seconds(1_000) for systems in ((), (system,)))
    assert both - alone == pytest.approx(alone / 3 / RELATIVE_RATE[system], rel=0.01)


def test_updates_fit_the_hours() -> None:
    sizes = sizes_for(facts(20_000), SMALL, "en")
    seconds = sizes.training_seconds(1_000)
    assert limited(sizes, 1_000, seconds + 1) == sizes
    less = limited(sizes, 1_000, seconds / 4)
    assert 0.8 * seconds / 4 <= less.training_seconds(1_000) <= 1.02 * seconds / 4
    assert limited(sizes, 1_000, 1).updates == 200
    assert replace(less, updates=sizes.updates) == sizes
    assert sizes.training_seconds(500) == pytest.approx(2 * seconds)


@pytest.mark.parametrize("row", range(len(SIZES)))
def test_a_proposed_model_can_be_built(row: int) -> None:
    sizes = sizes_for(facts(max(100, SIZES[row][0])), LARGE, "en")
    for name in ("transformer", *sizes.systems):
        system_named(name).switches(sizes.model)


def test_words_for_time_and_values() -> None:
    assert [duration(seconds) for seconds in (20, 1200, 3600 * 6, 86400 * 4)] == [
        "about a minute",
        "about 20 minutes",
        "about 6 hours",
        "about 4 days",
    ]
    assert [size(number) for number in (3e8, 2.5e9)] == ["300 MB", "2.5 GB"]
    assert yaml.safe_load(flow({"a": ["x: y", 'q"'], "b": True})) == {"a": ["x: y", 'q"'], "b": True}


def test_the_estimate_is_of_all_systems_and_tells_its_sources() -> None:
    some = facts(20_000)
    some.text_bytes = 4_000_000
    sizes = sizes_for(some, SMALL, "en")
    network = Network(4_000_000, 2_000.0)
    lines = "\n".join(estimate(some, SMALL, sizes, network, 1_000.0))
    assert duration(sizes.training_seconds(2_000)) in lines and "2,000 target subwords per second" in lines
    assert f"Analysis {duration(20 * 20_000 / 1_000 / 2)}: 1,000 words" in lines
    assert f"Disk: at most {size(11 * 4e6 + 48 * 4e6 * (1 + 1.34 * 2))}" in lines
    assert "busy" not in lines and "Analysis" not in "\n".join(estimate(some, SMALL, sizes, network, 0.0))
    busy = estimate(some, SMALL, sizes, replace(network, share=0.25), 0.0)
    assert "  The machine was busy: steps were timed at 25% of its speed; sized as if idle." in busy


@pytest.mark.parametrize(
    ("documents", "told"),
    [
        (23, "23 documents give 1 to test on: significance will be impossible, since it takes 6 documents that all "
             "speak for one system; give more documents"),
        (50, "50 documents give 2 to test on: significance will be impossible, since it takes 6 documents that all "
             "speak for one system; set held_out: {dev: 2, test: 6} or more"),
        (120, ""),
    ],
)  # fmt: skip
def test_few_documents_are_told_with_what_they_cannot_show(documents: int, told: str) -> None:
    some = replace(facts(20 * documents), documents=documents)
    assert significance(sizes_for(some, SMALL, "en"), some) == ([f"warning: {told}"] if told else [])


@pytest.mark.parametrize("documents", [LEAST_TESTED - 1, LEAST_TESTED])
def test_as_many_documents_can_be_significant_as_the_warning_says(documents: int) -> None:
    """All of them speak for one system."""
    p = exact_randomisation(np.ones(documents, dtype=np.int64))
    assert p == 2 / 2**documents and (p < 0.05) == (documents == LEAST_TESTED)
