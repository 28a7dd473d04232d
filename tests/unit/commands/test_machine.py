"""The machine is timed with the real network and the real analysers."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from discourse_nmt.new_configuration import machine
from discourse_nmt.new_configuration.machine import Stopwatch, measured_analysis, measured_network, this_machine

TINY = {"width": 16, "heads": 2, "feed_forward_width": 16, "encoder_layers": 1, "decoder_layers": 1}


def test_training_steps_are_timed() -> None:
    small, more = (measured_network(TINY, size, 60, 1) for size in (100, 200))
    assert small.rate > 0
    assert more.parameters - small.parameters == 100 * 16  # one matrix of embeddings


def test_analysis_of_the_beginning_is_timed() -> None:
    assert measured_analysis(["It rained, so she stayed at home."] * 3, "en") > 0


@pytest.mark.parametrize(("words", "analysed"), [(4, 1), (5, 2), (99, 3)])
def test_the_beginning_has_no_more_sentences_than_it_needs(
    words: int, analysed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    monkeypatch.setattr(machine, "WORDS", words)
    monkeypatch.setattr(machine, "load_pipeline", lambda folder, language: SimpleNamespace(analyse=read.extend))
    sentences = ["One two three four", "Five six", "Seven"]
    assert measured_analysis(sentences, "en") > 0
    assert read == [sentences[0], "\n".join(sentences[:analysed])]


def test_a_machine_has_cores_and_memory() -> None:
    found = this_machine()
    assert found.cores >= 1 and found.memory > 0.1


@pytest.mark.parametrize(("after", "share"), [("400 600 9", 0.25), ("200 0 9", 1.0), ("100 600 9", 1.0)])
def test_the_share_of_a_core_is_that_of_the_time_in_which_one_was_wanted(
    after: str, share: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scheduled = tmp_path / "schedstat"
    scheduled.write_text("300 300 8\n" if share == 0.25 else "100 0 8\n", encoding="utf-8")
    monkeypatch.setattr(machine, "SCHEDULED", scheduled)
    watch = Stopwatch()
    scheduled.write_text(f"{after}\n", encoding="utf-8")
    assert watch.share() == share


def test_without_figures_of_the_kernel_a_machine_is_idle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "SCHEDULED", tmp_path / "absent")
    assert Stopwatch().share() == 1.0


def test_this_kernel_is_asked() -> None:
    watch = Stopwatch()
    sum(range(10**6))
    assert 0 < watch.share() <= 1


def test_rates_are_those_of_an_idle_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps that take a second by the clock, with a quarter of a core."""
    monkeypatch.setattr(Stopwatch, "seconds", lambda _: 1.0)
    monkeypatch.setattr(Stopwatch, "share", lambda _: 1.0)
    idle = measured_network(TINY, 100, 60, 1), measured_analysis(["It rained."], "en")
    monkeypatch.setattr(Stopwatch, "share", lambda _: 0.25)
    busy = measured_network(TINY, 100, 60, 1), measured_analysis(["It rained."], "en")
    assert (busy[0].rate, busy[0].share, busy[1]) == (4 * idle[0].rate, 0.25, 4 * idle[1])
