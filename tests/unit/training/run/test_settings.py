"""Reading of the training settings: every fault is one line that names the key."""

import dataclasses
import subprocess
import sys

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import parse_settings
from discourse_nmt.training.settings import TrainingSettings
from tests.conftest import ROOT


def test_defaults_and_given_values() -> None:
    assert parse_settings(TrainingSettings, {}, "training") == TrainingSettings()
    given = {
        "learning_rate": 1,
        "schedule": "noam",
        "rates": {"encoder": 0, "decoder.": 0.5},
        "max_updates": 7,
    }
    made = parse_settings(TrainingSettings, given, "training")
    assert (made.learning_rate, made.schedule, made.max_updates) == (1.0, "noam", 7)
    assert made.rates == {"encoder": 0.0, "decoder.": 0.5}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"lerning_rate": 1}, "unknown setting lerning_rate; did you mean learning_rate"),
        ({"batch_tokens": "many"}, "batch_tokens is 'many'"),
        ({"batch_tokens": 0}, "batch_tokens is 0; it must be at least 1"),
        ({"deterministic": 1}, "deterministic is 1"),
        ({"label_smoothing": 1.0}, "label_smoothing is 1.0"),
        ({"learning_rate": float("nan")}, "learning_rate is nan"),
        ({"schedule": "noan"}, "schedule is 'noan'; did you mean noam"),
        ({"rates": 3}, "rates is 3; it must be a mapping"),
        ({"rates": {"encoder": "slow"}}, "rates.encoder is 'slow'"),
        ({"rates": {"encoder": -1}}, "rates.encoder is -1; it must be at least 0"),
        ({"max_updates": 0, "patience": 0}, "it would never end"),
        ({"schedule": "polynomial", "max_updates": 10, "warmup_updates": 10}, "set it above warmup_updates"),
    ],
)
def test_faults_name_the_key(values: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_settings(TrainingSettings, values, "training")


def test_every_setting_says_what_it_means() -> None:
    assert all(field.metadata["meaning"] for field in dataclasses.fields(TrainingSettings))


def test_settings_are_read_without_torch() -> None:
    check = "import sys, discourse_nmt.training.settings; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], cwd=ROOT, check=False).returncode == 0
