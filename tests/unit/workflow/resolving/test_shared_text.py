"""A corpus that takes the text stage of another one over: a model of that one goes on learning on this one."""

import re
from typing import Any

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.workflow.checks.corpora import check_own_texts
from discourse_nmt.workflow.checks.schema import check_schema
from discourse_nmt.workflow.plan.plan import Plan
from tests.unit.workflow.plan.plan_examples import CONFIG, SCHEMA, configured, job, planned, run

PARTS = {**CONFIG["corpora"]["talks"], "text": {}, "text_of": "news"}
RESULTS = "results/example"


def sections(**changes: Any) -> dict[str, Any]:
    """``base`` on news; ``further`` and a cache with a labeller start from it on the corpus ``parts``."""
    experiments = {
        "base": {"system": "transformer", "corpora": ["news"], "seeds": [1, 2]},
        "further": {"system": "g_transformer", "corpora": ["parts"], "initialised_from": "base", "seeds": [2]},
        "cache": {
            "system": "theme_rheme_cache",
            "corpora": ["parts"],
            "initialised_from": "base",
            "labeller": "themes",
        },
        **changes,
    }
    return {
        "corpora": {"parts": PARTS, "news": {**CONFIG["corpora"]["news"], "text": {"bpe": {"merges": 77}}}},
        "experiments": experiments,
    }


def test_the_start_is_the_model_of_the_other_corpus() -> None:
    plan: Plan = planned(**sections())
    assert plan.runs.initial_model(run("further", 2, corpus="parts")) == [
        f"{RESULTS}/news/experiments/base/seed2/model.safetensors"
    ]
    assert plan.labellers.of_run(run("cache", 1, corpus="parts")) == [
        f"{RESULTS}/news/labellers/themes/base/seed1/labeller.safetensors"
    ]
    assert ("parts", "base", 1) not in plan.runs.all()


def test_the_text_stage_is_taken_over_with_its_settings() -> None:
    plan = planned(**sections())
    assert plan.parameters.settings_of("text", "parts") == plan.parameters.settings_of("text", "news")
    assert plan.config.corpora["parts"].text.bpe.merges == 77
    files = plan.corpora.text_files(job(corpus="parts"))
    assert len(files) == 6 and f"{RESULTS}/news/text/source/vocabulary.json" in files
    own, taken = plan.corpora.regex(own_text=True), plan.corpora.regex(own_text=False)
    assert [bool(re.fullmatch(own, name)) for name in ("news", "parts")] == [True, False]
    assert re.fullmatch(taken, "parts")


@pytest.mark.parametrize(
    ("corpora", "message"),
    [
        ({"parts": {**PARTS, "text_of": "newz"}}, "corpora.parts.text_of: no other corpus newz; did you mean news?"),
        ({"parts": {**PARTS, "text_of": "parts"}}, "corpora.parts.text_of: no other corpus parts"),
        ({"parts": {**PARTS, "target_language": "fr"}}, "corpora.parts.text_of: the languages differ, en-fr and en-de"),
        (
            {"parts": PARTS, "more": {**PARTS, "text_of": "parts"}},
            "corpora.more.text_of: parts takes its text over, too; name news",
        ),
        (
            {"parts": PARTS, "more": {**PARTS, "text_of": "parts"}, "most": {**PARTS, "text_of": "more"}},
            "corpora.more.text_of: parts takes its text over, too; name news",
        ),
        (
            {"most": {**PARTS, "text_of": "more"}, "more": {**PARTS, "text_of": "parts"}, "parts": PARTS},
            "corpora.most.text_of: more takes its text over, too; name news",
        ),
        (
            {"parts": {**PARTS, "text_of": "more"}, "more": {**PARTS, "text_of": "parts"}},
            "corpora.parts.text_of: more takes its text over, too; that is a circle; set corpora.parts.text_of to null",
        ),
        (
            {"a": {**PARTS, "text_of": "b"}, "b": {**PARTS, "text_of": "c"}, "c": {**PARTS, "text_of": "b"}},
            "corpora.a.text_of: b takes its text over, too; that is a circle; set corpora.b.text_of to null",
        ),
        (
            {"a": {**PARTS, "text_of": "b"}, "b": {**PARTS, "text_of": "newz"}},
            "corpora.a.text_of: b takes its text over, too; correct corpora.b.text_of first",
        ),
        ({"parts": {**PARTS, "text_of": None}}, "further.initialised_from: base is not trained on parts; add it to"),
    ],
)
def test_faults_are_told_in_one_line(corpora: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        configured(experiments=sections()["experiments"], corpora=corpora)


NEWS_TEXT: dict[str, Any] = {"lowercase": True, "bpe": {"merges": 77}}


@pytest.mark.parametrize("text", [{"lowercase": False}, {"bpe": {"merges": 78}}, {"truecase": False}])
def test_a_text_that_would_be_replaced_is_told(text: dict[str, Any]) -> None:
    """A default is one, too, where it is written."""
    message = (
        r"^corpora\.parts\.text: its text_of takes that of news in its place; leave text out, or set text_of to null"
    )
    with pytest.raises(InputError, match=message):
        check_texts(text)


@pytest.mark.parametrize("text", [None, {}, NEWS_TEXT])
def test_a_text_that_is_absent_or_the_same_is_replaced_without_a_word(text: dict[str, Any] | None) -> None:
    check_texts(text)


def check_texts(text: dict[str, Any] | None) -> None:
    parts = {key: value for key, value in {**PARTS, "text": text}.items() if value is not None}
    given = {**CONFIG, "corpora": {"news": {**CONFIG["corpora"]["news"], "text": NEWS_TEXT}, "parts": parts}}
    check_own_texts(given, check_schema(given, SCHEMA))


def test_a_first_stage_on_another_corpus_makes_no_drafts() -> None:
    graph = {"system": "document_graph", "corpora": ["parts"], "initialised_from": "further", "seeds": [2]}
    with pytest.raises(InputError, match="base, which makes the drafts, is not trained on parts; add it to"):
        configured(**sections(graph=graph))
