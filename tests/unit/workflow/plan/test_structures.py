"""Structure files: which a run reads, and what each kind is built from."""

import itertools

import pytest
from snakemake.exceptions import WorkflowError
from snakemake.iocontainers import Wildcards

from discourse_nmt.training.kinds import STRUCTURES, StructureKind
from discourse_nmt.workflow.plan.structures import structure_option, training_options
from tests.unit.workflow.plan.plan_examples import CONFIG, job, planned, run

PLAN = planned()
FOLDER = "results/example/news/structure"


def built(kind: str, split: str = "test", **wildcards: str) -> Wildcards:
    """The wildcards of a job that builds a structure file."""
    return job(corpus="news", kind=kind, split=split, **wildcards)


@pytest.mark.parametrize(
    ("experiment", "seed", "expected"),
    [
        ("sentence", 1, []),
        ("second", 1, []),
        ("trees", 1, [f"{FOLDER}/dependencies/builtin/train.arrow"]),
        ("drafted", 3, [f"{FOLDER}/graphs/builtin/sentence/seed1/train.arrow"]),
        ("remembering", 2, [f"{FOLDER}/cache_words/train.arrow"]),
    ],
)
def test_the_structure_that_a_training_reads(experiment: str, seed: int, expected: list[str]) -> None:
    assert PLAN.structures.of_split("train")(run(experiment, seed)) == expected


def test_a_kind_that_is_in_the_dataset_has_no_file() -> None:
    assert PLAN.structures.of_test_set("words")(run("trees", split="test")) == []


@pytest.mark.parametrize(("use_tree", "count"), [(True, 1), (False, 0)])
def test_decoding_may_need_no_structure(use_tree: bool, count: int) -> None:
    trees = {**CONFIG["experiments"]["trees"], "decoding": {"use_tree": use_tree}}
    plan = planned(experiments={"trees": trees})
    assert len(plan.structures.decoding(run("trees", split="test"))) == count


def test_every_kind_with_a_file_has_one_form_of_path() -> None:
    forms = [
        PLAN.structures.regex(annotated=annotated, drafted=drafted).split("|")
        for annotated, drafted in ((True, False), (False, False), (True, True))
    ]
    assert sorted(itertools.chain(*forms)) == sorted(name for name, kind in STRUCTURES.items() if kind.builder)
    assert forms[1:] == [["cache_words"], ["graphs"]]


def test_a_kind_is_built_from_its_tables() -> None:
    wildcards = built("dependencies", analysis="builtin")
    plan = planned(analyses={"builtin": {"rst": {"backend": "builtin", "unit": "document"}}})
    tables = plan.structures.tables(wildcards)
    assert tables == {
        "tokens": plan.files.shards("text/tokens", "news", "test"),
        "edus": plan.files.shards("discourse/builtin/source/edus", "news", "test"),
        "rst_dependencies": plan.files.shards("discourse/builtin/source/rst_dependencies", "news", "test"),
    }
    options = plan.structures.table_options(wildcards, tables)
    assert options[0] == "tokens=results/example/news/text/tokens/test/0.parquet"
    assert len(options) == 3 * 2


@pytest.mark.parametrize(
    ("kind", "trees", "table"),
    [
        ("dependencies", "rst_dependencies", "instance_dependencies"),
        ("positions", "rst", "paragraph_rst"),
        ("paragraph_dependencies", "rst", "paragraph_rst"),
        ("shuffled_dependencies", "rst_dependencies", "instance_dependencies"),
        ("shuffled_paragraph_dependencies", "rst", "paragraph_rst"),
    ],
)
def test_trees_may_be_those_of_each_unit(kind: str, trees: str, table: str) -> None:
    plan = planned(analyses={"builtin": {"rst": {"backend": "builtin", "unit": "instance"}}})
    tables = plan.structures.tables(built(kind, analysis="builtin"))
    assert tables[trees] == plan.files.shards(f"discourse/builtin/source/{table}", "news", "test")
    assert tables["edus"] == plan.files.shards("discourse/builtin/source/edus", "news", "test")


def test_a_drafted_kind_is_also_built_from_the_draft() -> None:
    wildcards = built("graphs", analysis="builtin", experiment="sentence", seed="2")
    tables = PLAN.structures.tables(wildcards)
    draft = "drafts/sentence/seed2"
    assert tables == {
        "tokens": PLAN.files.shards("text/tokens", "news", "test"),
        "subwords": PLAN.files.shards("text/subwords", "news", "test"),
        "document_graph": PLAN.files.shards("discourse/builtin/source/document_graph", "news", "test"),
        "draft_tokens": PLAN.files.shards(f"{draft}/text/tokens", "news", "test"),
        "draft_subwords": PLAN.files.shards(f"{draft}/text/subwords", "news", "test"),
        "draft_document_graph": PLAN.files.shards(f"{draft}/discourse/builtin/target/document_graph", "news", "test"),
    }


def test_a_builder_gets_the_options_that_it_reads() -> None:
    options = PLAN.structures.builder_options
    assert options(built("dependencies", analysis="builtin")) == []
    assert options(built("cache_words")) == ["--language", "en"]
    assert options(built("paragraph_dependencies", analysis="builtin"))[0] == "--conversion"


def test_stop_words_count_for_builders_that_read_them() -> None:
    assert PLAN.structures.stop_words(built("graph", analysis="builtin")) == ""
    assert len(PLAN.structures.stop_words(built("cache_words"))) == 16


def test_a_language_without_stop_words_is_told_in_one_line() -> None:
    experiments = {name: {"system": "transformer"} for name in CONFIG["experiments"]}
    news = {**CONFIG["corpora"]["news"], "source_language": "eo"}
    plan = planned(corpora={"news": news}, experiments=experiments, labellers={"themes": {"experiments": []}})
    with pytest.raises(WorkflowError, match=r"^corpus news: "):
        plan.structures.stop_words(built("cache_words"))


def test_code_of_kinds_is_that_of_their_builders() -> None:
    codes = {kind: PLAN.structures.code(built(kind)) for kind, declared in STRUCTURES.items() if declared.builder}
    assert codes["graph"] == codes["graphs"]  # one module
    for kind in ("dependencies", "paragraph_dependencies"):
        assert codes[kind] == codes[f"shuffled_{kind}"]
    assert len(set(codes.values())) == len(codes) - 3


@pytest.mark.parametrize("annotated", [True, False])
def test_a_new_kind_needs_a_declaration_and_no_rule(annotated: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = ("tokens", "coreference") if annotated else ("tokens",)
    builder = "discourse_nmt.training.builders.graphs:write_graphs"
    monkeypatch.setitem(STRUCTURES, "toy", StructureKind("toy", "", builder, tables))
    plan = planned()
    assert "toy" in plan.structures.regex(annotated=annotated, drafted=False).split("|")
    analysis = "builtin/" if annotated else ""
    assert plan.structures.of_test_set("toy")(run("trees", split="test")) == [f"{FOLDER}/toy/{analysis}test.arrow"]
    assert tuple(plan.structures.tables(built("toy", analysis="builtin"))) == tables


def test_options_of_commands_name_structure_files() -> None:
    assert structure_option(run("trees"), {"structure": ["a.arrow"]}) == ["--structure", "a.arrow"]
    assert structure_option(run("sentence"), {"structure": []}) == []
    files = {"train_structure": ["t.arrow"], "dev_structure": ["d.arrow"]}
    assert training_options(run("trees"), files) == ["--train-structure", "t.arrow", "--dev-structure", "d.arrow"]
    assert training_options(run("sentence"), {"train_structure": [], "dev_structure": []}) == []
