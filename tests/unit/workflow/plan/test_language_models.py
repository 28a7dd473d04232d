"""Language models become systems whose translations a rule asks for; prompts read what they show, and no more."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from snakemake.exceptions import WorkflowError

from discourse_nmt.base.errors import InputError
from discourse_nmt.workflow.checks.configuration import check_configuration
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.plan.language_models import CHAT_FILES
from discourse_nmt.workflow.plan.plan import Plan
from discourse_nmt.workflow.plan.runs import Run
from discourse_nmt.workflow.resolving.resolve import resolve
from discourse_nmt.workflow.sections.experiments import baseline_of
from discourse_nmt.workflow.sections.outside_systems import EXTERNAL
from tests.unit.workflow.plan.plan_examples import CONFIG, job, planned, read, run

ADDRESS = {"address": "http://127.0.0.1:1/v1"}
FOLDER = "results/example/news/experiments/asked"


def plan_of(analysis: str = "builtin", seeds: tuple[int, ...] = (1,), **switches: Any) -> Plan:
    asked = {"system": "llm", "analysis": analysis, "seeds": list(seeds), "settings": {**ADDRESS, **switches}}
    return planned(experiments={"asked": {**asked, "corpora": ["news"]}})


def wildcards(**values: str) -> Any:
    return job(**{"corpus": "news", "experiment": "asked", "split": "test", "seed": "1", **values})


def test_a_language_model_is_a_system_of_its_corpora_and_no_training() -> None:
    plan = plan_of(seeds=(1, 2))
    assert set(plan.runs.external()) == {Run("news", "asked", 1), Run("news", "asked", 2)}
    assert "asked" not in plan.config.experiments and plan.language_models.names == ["asked"]
    assert plan.runs.system(wildcards()) == "llm" != EXTERNAL
    assert f"{FOLDER}/seed2/scores/more.tsv" in plan.runs.scored_files("scores/{split}.tsv")
    assert plan.runs.translated_suites(Run("news", "asked", 1)) == ["forms"]
    assert plan.corpora.hypotheses_of(wildcards(seed="2")) == [f"{FOLDER}/seed2/language_model/test.jsonl"]
    assert plan.language_models.answers(wildcards()) == [f"{FOLDER}/seed1/language_model/test.parquet"]
    assert plan.language_models.answers(run("sentence")) == []
    assert plan.language_models.owner(wildcards()) == "example/news/asked"


def test_it_may_be_compared_with_another_system() -> None:
    asked = {"system": "llm", "settings": ADDRESS, "corpora": ["news"]}
    plan = planned(experiments={"alone": asked, "tree": {**asked, "compared_with": "alone"}})
    baselines = {name: baseline_of(plan.config, name, "news") for name in ("alone", "tree")}
    assert baselines == {"alone": None, "tree": "alone"}


def test_without_corpora_it_is_asked_for_all() -> None:
    plan = planned(experiments={"asked": {"system": "llm", "settings": ADDRESS}})
    assert [found.corpus for found in plan.runs.external()] == ["news", "talks"]
    assert plan.config.corpora["talks"].systems["asked"].hypotheses.keys() == {"dev"}


@pytest.mark.parametrize(
    ("switches", "tables"),
    [
        ({}, []),
        ({"context": "previous"}, []),
        ({"context": "tree_neighbours"}, ["edus", "rst_dependencies"]),
        ({"context": "shuffled_neighbours"}, ["edus", "rst_dependencies"]),
        ({"context": "shuffled_neighbours", "shuffled": "graph_neighbours"}, ["document_graph"]),
        ({"context": "graph_neighbours", "unit": "chunk"}, ["document_graph", "edus", "rst"]),
        ({"order": "tree", "template": "tags"}, ["edus", "rst_dependencies"]),
    ],
)
def test_prompts_read_the_annotation_that_they_show(switches: dict[str, Any], tables: list[str]) -> None:
    plan = plan_of(**switches)
    options = [option.partition("=")[0] for option in plan.language_models.table_options(wildcards())]
    assert list(dict.fromkeys(options)) == tables
    files = plan.language_models.tables(wildcards())
    assert len(files) == 2 * len(tables) and all("/builtin/source/" in file for file in files)


def test_a_template_of_ones_own_decides_what_is_read(tmp_path: Path) -> None:
    template = tmp_path / "own.jinja"
    template.write_text("{% block system %}{% endblock %}{% block user %}{{ document.chains }}{{ unit }}{% endblock %}")
    plan = plan_of(template=str(template))
    assert all("coreference/" in file for file in plan.language_models.tables(wildcards()))
    other = tmp_path / "other.jinja"
    other.write_text(template.read_text() + "{# changed #}")
    digests = [
        plan_of(template=str(file)).language_models.prompt_files_digest(wildcards()) for file in (template, other)
    ]
    assert digests[0] != digests[1]


def test_jobs_that_share_a_budget_run_one_after_the_other() -> None:
    assert plan_of().language_models.earlier(wildcards(split="more")) == []
    budgets: list[dict[str, Any]] = [{"budget_requests": 5}, {"budget_tokens": 0}]
    for budget in budgets:
        plan = plan_of(seeds=(1, 2), **budget)
        chain = [("1", "test"), ("1", "more"), ("1", "forms"), ("2", "test"), ("2", "more")]
        assert plan.language_models.earlier(wildcards()) == []
        for (seed, split), (following_seed, following) in pairwise(chain):
            earlier = plan.language_models.earlier(wildcards(seed=following_seed, split=following))
            assert earlier == [f"{FOLDER}/seed{seed}/language_model/{split}.jsonl"]


@pytest.mark.parametrize(
    ("experiment", "fault"),
    [
        (
            {"training": {"max_updates": 1}},
            r"experiments.asked.training: .* is not trained; leave it out",
        ),
        ({"initialised_from": "sentence"}, r"experiments.asked.initialised_from: a language model is not trained"),
        ({"decodings": {"a": {}}}, r"experiments.asked.decodings: a language model is not trained"),
        ({"corpora": ["new"]}, r"experiments.asked.corpora: no corpus new; did you mean news\?"),
        ({"settings": {}}, r"neither of address and command"),
        ({"settings": {**ADDRESS, "contxt": "none"}}, r"unknown setting contxt; did you mean context\?"),
        ({"settings": {"address": "http://me:key@host/v1"}}, r"address holds a name or a key; .*key_variable"),
    ],
)
def test_faults_are_one_line(experiment: dict[str, Any], fault: str) -> None:
    asked = {"system": "llm", "settings": ADDRESS, **experiment}
    with pytest.raises(InputError, match=fault):
        planned(experiments={"asked": asked})


def test_a_name_stands_for_one_system() -> None:
    news = {**CONFIG["corpora"]["news"], "systems": {"asked": {"hypotheses": {"test": "a.txt"}}}}
    with pytest.raises(InputError, match=r"experiments.asked: corpora.news.systems has this name, too; rename"):
        planned(experiments={"asked": {"system": "llm", "settings": ADDRESS}}, corpora={"news": news})


@pytest.mark.parametrize(
    ("switches", "fault"),
    [
        ({"template": "nothing"}, r"experiments.asked: no template nothing; name a file, or one of numbered, "),
        ({"glossary": "terms.tsv"}, r"experiments.asked: terms.tsv: no such file; put it there, or correct"),
        ({"analysis": "new", "context": "tree_neighbours"}, r"experiments.asked: no analysis new, whose edus prompts "),
    ],
)
def test_missing_files_are_told_before_any_job(switches: dict[str, Any], fault: str) -> None:
    with pytest.raises(WorkflowError, match=fault):
        plan_of(**switches).language_models.look_up()


def test_prompts_without_annotation_need_no_analysis() -> None:
    plan_of(analysis="new", context="previous").language_models.look_up()


def test_a_key_that_is_not_set_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr("discourse_nmt.workflow.plan.language_models.warn_once", told.append)
    monkeypatch.delenv("MY_KEY", raising=False)
    plan_of(key_variable="MY_KEY").language_models.look_up()
    assert told == ["experiments.asked: the environment variable MY_KEY is not set; the server wants its key"]
    monkeypatch.setenv("MY_KEY", "secret")
    plan = plan_of(key_variable="MY_KEY")
    plan.language_models.look_up()
    assert len(told) == 1 and "secret" not in plan.language_models.settings_option(wildcards())


def test_a_configuration_may_have_language_models_alone() -> None:
    asked = {"asked": {"system": "llm", "settings": ADDRESS}}
    plan = Plan(resolved({**CONFIG, "experiments": asked, "labellers": {}, "significance": {"baseline": "asked"}}))
    assert plan.runs.all() == [] and len(plan.runs.external()) == 2
    with pytest.raises(InputError, match="no experiments"):
        resolved({**CONFIG, "experiments": {}, "labellers": {}})


def resolved(config: Any) -> Configuration:
    configuration = resolve(read(config))
    check_configuration(configuration)
    return configuration


def test_chats_are_made_of_every_exported_document() -> None:
    plan = plan_of()
    files = plan.language_models.chats()
    assert len(files) == len(CHAT_FILES) * len(plan.analyses.exported())
    assert "results/example/news/chats/gold/train/README.md" in files
