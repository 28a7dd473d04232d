"""Values of decoding that are chosen on dev: what is tried, what is chosen, and what a job decodes with."""

from pathlib import Path

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.training.checkpoints.tuned_decoding import (
    GRIDS,
    ON_DEV,
    Trial,
    TunedDecoding,
    decoding_settings,
    grid,
    tuned_keys,
)

SECTION = {"beam": 2, "length_penalty": ON_DEV, "search": "waves"}


def tuned(*bleus: float) -> TunedDecoding:
    trials = [Trial(values, bleu, 0.9) for values, bleu in zip(grid(["length_penalty"]), bleus)]
    return TunedDecoding("dev", "tok:13a", trials)


def test_every_value_of_a_key_is_tried_the_smallest_first() -> None:
    assert [values["length_penalty"] for values in grid(["length_penalty"])] == sorted(GRIDS["length_penalty"])
    assert grid([]) == [{}]


def test_only_words_are_left_open() -> None:
    assert tuned_keys(SECTION) == ["length_penalty"] and tuned_keys({"length_penalty": 0.6}) == []


def test_the_best_is_chosen_and_the_first_of_equal_ones() -> None:
    assert tuned(10.0, 12.0, 11.0).chosen == {"length_penalty": GRIDS["length_penalty"][1]}
    assert tuned(10.0, 12.0, 12.0).chosen == {"length_penalty": GRIDS["length_penalty"][1]}


def test_a_job_decodes_with_the_choice(tmp_path: Path) -> None:
    path, wanted = tmp_path / "dev.json", tuned(10.0, 11.0, 12.0)
    wanted.save(path)
    assert TunedDecoding.load(path) == wanted
    found = decoding_settings(SECTION, path)
    assert (found.beam, found.length_penalty) == (2, GRIDS["length_penalty"][2])
    # A number that is given stays.
    assert decoding_settings({"length_penalty": 0.3}, path).length_penalty == 0.3


def test_faults_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="length_penalty is tuned, but there is no value; give --tuned, or a number"):
        decoding_settings(SECTION, None)
    (tmp_path / "other.json").write_text('{"split": "dev"}', encoding="utf-8")
    with pytest.raises(InputError, match="no choice of values of decoding"):
        decoding_settings(SECTION, tmp_path / "other.json")
    (tmp_path / "list.json").write_text("[]", encoding="utf-8")
    with pytest.raises(InputError, match="no choice of values of decoding"):
        decoding_settings(SECTION, tmp_path / "list.json")
