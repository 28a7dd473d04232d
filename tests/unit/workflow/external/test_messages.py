"""Messages about mistakes that new users make."""

from typing import Any

import pytest

from discourse_nmt.base.errors import InputError
from tests.unit.workflow.plan.plan_examples import CONFIG, configured


def fault(**sections: Any) -> str:
    with pytest.raises(InputError) as caught:
        configured(**sections)
    return str(caught.value)


def with_experiment(**keys: Any) -> str:
    return fault(experiments={"sentence": {"system": "transformer", **keys}})


@pytest.mark.parametrize(
    ("seeds", "written"),
    [
        ("1,2,3", "[1, 2, 3]"),
        ("1 2", "[1, 2]"),
        ("2-4", "[2, 3, 4]"),
        (7, "[7]"),
        ("7", "[7]"),
        ("three", "[1, 2, 3]"),
        ("1-9999", "[1, 2, 3]"),
    ],
)
def test_seeds_that_are_no_list(seeds: str | int, written: str) -> None:
    assert with_experiment(seeds=seeds) == f"experiments.sentence.seeds: {seeds!r} is no list; write {written}"


def test_names_that_are_no_list() -> None:
    assert with_experiment(corpora="news, talks").endswith('is no list; write ["news", "talks"]')


@pytest.mark.parametrize(
    ("given", "meant"), [("tsv", "table"), (".csv", "table"), ("PO", "gettext"), ("txt", "blank_lines")]
)
def test_the_ending_of_a_file_is_no_format(given: str, meant: str) -> None:
    message = fault(corpora={"news": {**CONFIG["corpora"]["news"], "format": given}})
    assert message == f"corpora.news.format: {given!r} is not one of its values; such files have the format {meant}"


@pytest.mark.parametrize(
    ("code", "meant"), [("cn", "zh (Chinese)"), ("zh-TW", "zh (Chinese)"), ("german", "de (German)")]
)
def test_another_code_of_a_language(code: str, meant: str) -> None:
    message = fault(corpora={"news": {**CONFIG["corpora"]["news"], "target_language": code}})
    assert message == f"corpora.news.target_language: {code!r} is no code of a language; write {meant}"


def test_a_checkpoint_of_a_hub_is_no_experiment() -> None:
    message = with_experiment(initialised_from="facebook/mbart-large-50")
    assert "no experiment facebook/mbart-large-50; for a checkpoint on disk set initialised_from: pretrained" in message
    assert "corpora.NAME.text.pretrained" in message


def test_a_switch_of_another_system() -> None:
    message = with_experiment(settings={"rst_layers": 2})
    assert message.endswith("transformer has no switch rst_layers; leave it out, or use rst_transformer")
    assert "unknown setting layerz" in with_experiment(settings={"layerz": 2})
    message = fault(model={"rst_layers": 2})
    remedy = "write it into settings of an experiment with the system rst_transformer"
    assert message.endswith(f"model: transformer has no switch rst_layers; {remedy}")


def test_a_command_that_is_no_list() -> None:
    message = fault(metrics={"own": {"command": 'python own.py "{hypotheses}"'}})
    assert message.endswith('is no list; write ["python", "own.py", "{hypotheses}"]')


def test_a_missing_key() -> None:
    news = {key: value for key, value in CONFIG["corpora"]["news"].items() if key != "source_language"}
    assert fault(corpora={"news": news}) == "corpora.news lacks the key source_language; add it"


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ({"fodler": "data/x"}, "unknown key fodler in corpora.news.data; did you mean folder?"),
        ({"folder": "x", "names": ["en"]}, "corpora.news.data.names: ['en'] is not of type 'object'"),
        ({"debian": ["x"]}, "corpora.news.data lacks the key folder; add it"),
    ],
)
def test_a_section_that_may_be_absent_is_checked_like_others(section: dict[str, Any], message: str) -> None:
    (name, corpus), *_ = CONFIG["corpora"].items()
    told = fault(corpora={name: {**corpus, "data": section}})
    assert told == message.replace("corpora.news", f"corpora.{name}")


def test_a_word_that_stands_for_a_value_is_among_those_that_are_named() -> None:
    assert "did you mean tuned" in fault(decoding={"length_penalty": "tune"})
    assert "auto" in fault(hardware={"gpus": "all"})


@pytest.mark.parametrize(("value", "read"), [(False, "False"), (2024, "2024"), (1.5, "1.5")])
def test_a_word_that_yaml_reads_as_another_value(value: object, read: str) -> None:
    assert fault(run=value) == f"run: YAML reads this as {read}, and not as a word; write it in quotes"
