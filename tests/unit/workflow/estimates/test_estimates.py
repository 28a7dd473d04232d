"""Estimates of a run: sizes of networks, loads of jobs, rates and their correction by finished jobs."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import Given
from discourse_nmt.corpus.importing.plan import SplitSettings
from discourse_nmt.discourse.settings import ImportSettings
from discourse_nmt.models.switches.transformer import TransformerSettings
from discourse_nmt.models.systems import SYSTEMS, build
from discourse_nmt.scoring.alignment.settings import DocumentMetricsSettings
from discourse_nmt.training.checkpoints.tuned_decoding import GRIDS
from discourse_nmt.training.settings import TrainingSettings
from discourse_nmt.workflow.configuration.corpora import ExternalSystemSettings
from discourse_nmt.workflow.configuration.texts import BpeSection, BySide, SentencePieceSection, TextSection
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.estimates.loads import SAME, UNNUMBERED, Loads
from discourse_nmt.workflow.estimates.networks import (
    LETTERS,
    SUBWORDS,
    WORDS,
    NetworkSize,
    evaluation_operations,
    passes,
    short_training,
    training_operations,
    updates,
    vocabulary,
)
from discourse_nmt.workflow.estimates.planning import PlannedJob, PlannedRun, duration, longest_chain, planned_run, told
from discourse_nmt.workflow.estimates.rates import Cost, Estimator, Finished, Load, Rate, finished_job, shipped_rates
from discourse_nmt.workflow.estimates.stand_ins import OTHER_PAIRS, stand_in
from discourse_nmt.workflow.plan.analyses import ANALYSER_RULES
from discourse_nmt.workflow.plan.plan import Plan
from discourse_nmt.workflow.resolving.shards import with_shards
from discourse_nmt.workflow.sizing.pairs import estimated_pairs
from tests.conftest import ROOT
from tests.unit.workflow.plan.plan_examples import configured

BPE = TextSection(bpe=BpeSection(merges=700, vocabulary_size=0), sentencepiece=SentencePieceSection(size=9))
RATE = Rate("pairs", 1.0, 2.0, 100.0, 10.0, 3.0)
ESTIMATOR = Estimator({"tokenise": RATE, "apply_bpe": RATE})


@pytest.mark.parametrize("changes", [{}, {"tie_output": False, "tie_source_target": False}, {"decoder_layers": 4}])
def test_parameters_are_nearly_those_of_the_network(changes: dict[str, Any]) -> None:
    """Biases and normalisation, which a formula leaves out, are a small part."""
    switches = {"encoder_layers": 2, "decoder_layers": 1, "width": 64, "feed_forward_width": 96, "heads": 2, **changes}
    network = build("transformer", switches, 1000, 1000, True)
    settings = TransformerSettings(**switches)
    size = NetworkSize.of(settings, BPE)
    assert vocabulary(BPE) == 1000
    assert size.stored == pytest.approx(sum(weights.numel() for weights in network.parameters()), rel=0.03)
    assert size.multiplied < size.stored or settings.tie_output


def test_sizes_of_vocabularies() -> None:
    assert vocabulary(replace(BPE, bpe=BpeSection(merges=BySide(10, 20)))) == 20 + LETTERS
    assert vocabulary(replace(BPE, bpe=BpeSection(merges=700, vocabulary_size=400))) == 400
    assert vocabulary(replace(BPE, subwords="sentencepiece")) == 9


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ({"max_updates": 100, "max_epochs": 0}, 100),
        ({"max_updates": 100, "max_epochs": 2}, 20),
        ({"max_updates": 0, "max_epochs": 3}, 30),
        ({"max_updates": 0, "max_epochs": 0}, 200),
    ],
)
def test_the_first_limit_ends_a_training(limits: dict[str, Any], expected: int) -> None:
    training = TrainingSettings(batch_tokens=50, accumulation=2, evaluate_every=5, **limits)
    assert updates(training, epoch_tokens=1000) == expected
    size = NetworkSize(7, 9)
    of_training = 7 * 6 * expected * 100
    assert training_operations(size, training, 1000, 0) == of_training
    assert training_operations(size, training, 1000, 30) == of_training + 7 * 2 * expected / 5 * 30
    after_epochs = replace(training, evaluate_every=0)  # an epoch has ten updates
    assert training_operations(size, after_epochs, 1000, 30) == of_training + 7 * 2 * expected / 10 * 30


@pytest.mark.parametrize(
    ("pairs", "changes", "told"),
    [
        (
            200_000_000,
            {"max_updates": 1_000},
            "1,000 updates are 0.0019 of an epoch of 200,000,000 pairs; usual would be 250,000, "
            "the tokens of the Base model of Vaswani et al. 2017",
        ),
        (
            40_000,
            {"max_updates": 50},
            "50 updates are 0.46 of an epoch of 40,000 pairs; usual would be 3,200, 30 epochs",
        ),
        (40_000, {"max_updates": 50, "accumulation": 4}, ""),  # more than an epoch
        (40_000, {"max_updates": 0, "patience": 3}, ""),  # patience ends it
        (200_000_000, {"max_updates": 260_000}, ""),  # half an epoch, and more than is usual
    ],
)
def test_a_training_that_ends_within_an_epoch_is_told_with_the_usual_length(
    pairs: int, changes: dict[str, Any], told: str
) -> None:
    training = TrainingSettings(**{"batch_tokens": 10_000, **changes})
    assert short_training(training, pairs, 27 * pairs) == told


def test_passes_are_fewer_over_larger_corpora() -> None:
    assert [passes(pairs) for pairs in (1, 2_999, 3_000, 5_000_000)] == [60, 60, 40, 10]


@pytest.fixture
def loads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Loads:
    """The example, whose imports counted 6,000 training pairs and 800 in the test set of news."""
    monkeypatch.chdir(tmp_path)
    for corpus in ("news", "talks"):
        folder = Path("results/example") / corpus / "corpus"
        folder.mkdir(parents=True)
        rows = "train\t9\t6000\ndev\t1\t400\ntest\t1\t800\n"
        (folder / "statistics.tsv").write_text(f"split\tdocuments\tsentences\n{rows}", encoding="utf-8")
    return Loads(Plan(configured()))


def test_a_job_on_a_file_has_its_part_of_the_split(loads: Loads) -> None:
    news = {"corpus": "news", "split": "train"}
    assert loads.of("tokenise", {**news, "shard": "0"}) == Load("tokenise", 3.0, 3.0, 3.0)
    assert loads.of("build_dataset", news) == Load("build_dataset", 6.0, 3.0, 6.0)
    assert loads.of("score_run", {**news, "split": "test"}) == Load("score_run", 0.8, 0.8, 0.8)
    assert loads.of("import_corpus_news", {}).units == pytest.approx(7.2)
    assert loads.of("measure_corpus", {"corpus": "news"}).units == pytest.approx(7.2)
    assert loads.of("learn_bpe", {"corpus": "talks"}).units == 6.0
    assert loads.of("collect_scores", {}) == Load("collect_scores")


def test_imported_annotation_is_no_analysis(loads: Loads) -> None:
    wildcards = {"corpus": "news", "split": "test", "shard": "0", "side": "source"}
    assert isinstance(loads.plan.analyses.backends["gold", "source", "rst"], ImportSettings)
    assert loads.of("parse_rst", {**wildcards, "analysis": "gold"}).stage == "imported"
    assert loads.of("parse_rst", {**wildcards, "analysis": "builtin"}).stage == "parse_rst"


def test_parts_share_the_work_and_the_join_has_none(loads: Loads) -> None:
    wildcards = {"corpus": "news", "split": "test", "experiment": "trees", "seed": "1"}
    whole = loads.of("translate_split", wildcards)
    assert whole.stage == "translate_split:document" and whole.units > 0
    part = loads.of("translate_part", {**wildcards, "part": "1", "parts": "4"})
    assert part.units == pytest.approx(whole.units / 4)
    hardware = replace(loads.config.hardware, sentences_per_job=100)
    divided = Loads(Plan(replace(loads.config, hardware=hardware)))
    assert divided.of("translate_split", wildcards).units == 0


def test_a_choice_on_dev_is_a_translation_for_each_value(loads: Loads) -> None:
    decoding = loads.config.experiments["trees"].decoding
    section = Given(decoding.kind, {**decoding, "length_penalty": "tuned"})
    experiments = {**loads.config.experiments, "trees": replace(loads.config.experiments["trees"], decoding=section)}
    tuned = Loads(Plan(replace(loads.config, experiments=experiments)))
    wildcards = {"corpus": "news", "split": "dev", "experiment": "trees", "seed": "1"}
    once, all_values = tuned.of("translate_split", wildcards), tuned.of("tune_decoding", wildcards)
    assert all_values.stage == once.stage
    assert all_values.units == pytest.approx(len(GRIDS["length_penalty"]) * once.units) and once.units > 0


def test_references_are_scored_whole_and_again_for_each_control(loads: Loads) -> None:
    wildcards = {"corpus": "news", "split": "test", "experiment": "trees", "seed": "1"}

    def load(metrics: DocumentMetricsSettings) -> Load:
        hardware = replace(loads.config.hardware, sentences_per_job=100)
        plan = Plan(replace(loads.config, document_metrics=metrics, hardware=hardware))
        return Loads(plan).of("score_references", wildcards)

    metrics = loads.config.document_metrics
    once = load(replace(metrics, cxmi=[]))
    assert once.stage == "score_references:document" and once.units > 0
    thrice = load(replace(metrics, cxmi=["without_context", "shuffled_trees"]))
    assert thrice.units == pytest.approx(3 * once.units)


def test_a_labeller_reads_train_once_an_epoch_by_the_model_that_it_starts_from(loads: Loads) -> None:
    wildcards = {"corpus": "news", "labeller": "themes", "experiment": "sentence", "seed": "1"}
    labeller = loads.config.labellers["themes"]
    several = replace(labeller, training=Given(labeller.training.kind, {"epochs": 7}))
    config = replace(loads.config, labellers={**loads.config.labellers, "themes": several})
    one = Loads(Plan(config)).of("train_labeller", wildcards)
    size = loads.size("news", "sentence").multiplied / 1e6
    assert one == Load("train_labeller", loads.pairs("news", "train") * 7 * size, size) and one.units > 0
    of_its_own = loads.of("train_labeller", {**wildcards, "labeller": "words"})
    assert of_its_own.stage not in shipped_rates()  # the size of its corpus is not known


def test_a_training_has_its_operations(loads: Loads) -> None:
    load = loads.of("train_model", {"corpus": "news", "experiment": "sentence", "seed": "1"})
    training = loads.plan.parameters.experiments["news", "sentence"].training
    assert load.stage == "train_model:sentence:fp32"
    assert load.held == training.batch_tokens / 1000
    assert load.written > 1 and load.further_disk == 10 * load.written


def test_a_training_from_a_random_start_has_no_frozen_parameters(loads: Loads) -> None:
    wildcards = {"corpus": "news", "experiment": "sentence", "seed": "1"}
    frozen = Loads(Plan(configured(training={"initialised_rate": 0.0})))
    assert frozen.of("train_model", wildcards).units == loads.of("train_model", wildcards).units


@pytest.mark.parametrize(
    ("system", "training", "is_training"),
    [
        ("side_constraint", {"initialised_rate": 0.0}, False),
        ("side_constraint", {"initialised_rate": 0.0, "rates": {"decoder": 0.0}}, False),
        ("side_constraint", {"initialised_rate": 0.0, "rates": {"decoder": 0.5}}, True),
        ("side_constraint", {}, True),
        ("continuous_cache", {"initialised_rate": 0.0}, True),  # its own parameters learn
    ],
)
def test_a_system_that_learns_nothing_has_the_operations_of_its_loss_alone(
    loads: Loads, system: str, training: dict[str, Any], is_training: bool
) -> None:
    second = loads.config.experiments["second"]
    second = replace(
        second,
        system=system,
        settings=Given(SYSTEMS[system].settings),
        training=Given(second.training.kind, training),
    )
    changed = Loads(Plan(replace(loads.config, experiments={**loads.config.experiments, "second": second})))
    load = changed.of("train_model", {"corpus": "news", "experiment": "second", "seed": "1"})
    tokens = 1000 * SUBWORDS * WORDS * changed.pairs("news", "dev")
    of_the_loss = evaluation_operations(changed.size("news", "second"), tokens) / 1e12
    assert of_the_loss > 0
    assert load.units > 2 * of_the_loss if is_training else load.units == of_the_loss


@pytest.mark.parametrize(
    ("training", "experiment", "told"),
    [
        ({"max_updates": 5}, "sentence", "sentence on news: 5 updates are 0.13 of an epoch of 6,000 pairs; usual"),
        ({"max_updates": 5, "share_of_documents": 0.5}, "sentence", "sentence on news: 5 updates are 0.25 of an epoch"),
        ({"max_updates": 5}, "second", ""),  # goes on from another model
        ({"max_updates": 5_000}, "sentence", ""),
    ],
)
def test_only_trainings_from_a_random_start_are_short(
    loads: Loads, training: dict[str, Any], experiment: str, told: str
) -> None:
    loads = Loads(Plan(configured(training=training)))
    found = loads.short_training("news", experiment)
    assert found.startswith(told) and bool(found) == bool(told)


def test_only_trainings_that_would_run_are_told(loads: Loads) -> None:
    loads = Loads(Plan(configured(training={"max_updates": 5})))
    rule, jobs = Mock(), []
    rule.name = "train_model"
    for corpus, seed in (("talks", "1"), ("news", "1"), ("news", "2")):
        wildcards = {"corpus": corpus, "experiment": "sentence", "seed": seed}
        jobs.append(Mock(rule=rule, wildcards_dict=wildcards, output=[]))
    for run, names in ((jobs, ["sentence on news", "sentence on talks"]), (jobs[:1], ["sentence on talks"])):
        dag = Mock(jobs=jobs, needrun=run.__contains__)
        assert [line.partition(":")[0] for line in planned_run(dag, loads).short] == names


def test_finished_jobs_correct_those_of_their_stage_and_less_so_all_others() -> None:
    measured = [(Load("tokenise", 2, 1, 4), Finished(10.0, 55.0, 24.0))]
    corrected = ESTIMATOR.corrected(measured)
    assert ESTIMATOR.cost(Load("tokenise", 2, 1, 4)) == Cost(5.0, 110.0, 12.0)
    assert corrected.cost(Load("tokenise", 4, 1, 4, 7)) == Cost(18.0, 55.0, 31.0)
    assert corrected.cost(Load("apply_bpe", 4, 1, 4)) == Cost(18.0, 55.0, 24.0)
    both = ESTIMATOR.corrected([*measured, (Load("apply_bpe", 2, 1, 4), Finished(5.0, 110.0, 12.0))])
    assert both.cost(Load("apply_bpe", 2, 1, 4)) == Cost(5.0, 110.0, 12.0)
    unmeasured = [(Load("tokenise"), Finished(None, None, 1.0)), (Load("unknown"), Finished(1.0, 1.0, 1.0))]
    assert ESTIMATOR.corrected(unmeasured) == ESTIMATOR
    assert ESTIMATOR.cost(Load("unknown")) is None


def test_corrections_compare_outputs_and_the_largest_memory() -> None:
    """Checkpoints lie beside the outputs that a finished job is measured by; jobs do not share their memory."""
    load = Load("tokenise", 2, 1, 4, further_disk=100)
    estimated = ESTIMATOR.cost(load)
    assert estimated == Cost(5.0, 110.0, 112.0)
    corrected = ESTIMATOR.corrected([(load, Finished(5.0, 110.0, 24.0)), (load, Finished(5.0, 55.0, 24.0))])
    assert corrected.cost(load) == Cost(5.0, 110.0, 2 * 12.0 + 100)


def test_benchmark_files_are_read(tmp_path: Path) -> None:
    output, benchmark = tmp_path / "output", tmp_path / "benchmark.tsv"
    assert finished_job(benchmark, [output]) is None
    output.write_bytes(b"x" * 2**20)
    benchmark.write_text("s\tmax_rss\tcpu_time\n9.1\t200.5\t7.25\n", encoding="utf-8")
    assert finished_job(benchmark, [output, tmp_path / "gone"]) == Finished(7.25, 200.5, 1.0)
    benchmark.write_text("s\tmax_rss\tcpu_time\n0.9\t0.5\t0.25\n", encoding="utf-8")
    assert finished_job(benchmark, []) == Finished(0.25, 0.5, 0.0)
    for short in ("s\tmax_rss\tcpu_time\n0.1\tNA\t0.0\n", "s\tmax_rss\tcpu_time\n"):
        benchmark.write_text(short, encoding="utf-8")
        assert finished_job(benchmark, []) == Finished(None, None, 0.0)


def test_every_rate_belongs_to_a_rule() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "rules").glob("*.smk"))
    names = {stage.partition(":")[0] for stage in shipped_rates()} | set(SAME) | set(SAME.values())
    known = {*re.findall(r"rule (\w+)", text), *re.findall(r" as (\w+) with", text), *ANALYSER_RULES.values()}
    known |= {"parse_instances", "parse_paragraphs"}  # two rules of one form
    assert names - known == {*UNNUMBERED, "imported"}


def test_the_longest_chain_waits_for_each_job() -> None:
    waits_for = {1: [], 2: [1], 3: [1], 4: [2, 3], 5: []}
    run = PlannedRun({}, waits_for)
    assert longest_chain(run, {1: 1.0, 2: 5.0, 3: 2.0, 4: 1.0, 5: 3.0}) == 7.0
    assert longest_chain(run, {}) == 0.0


@pytest.mark.parametrize(("cores", "least"), [(1, 6), (2, 3), (12, 1)])
def test_the_least_time_is_that_of_all_jobs_on_all_cores(cores: int, least: int) -> None:
    """Of six jobs that do not wait for each other; with more cores than jobs it is that of one job."""
    load = Load("tokenise", 1000, 1, 1000)
    jobs = {number: PlannedJob("tokenise", load, runs=True, finished=None) for number in range(6)}
    cost = Estimator(shipped_rates()).cost(load)
    assert cost is not None
    lines = list(told(PlannedRun(jobs, {number: [] for number in jobs}), cores=cores))
    times = duration(least * cost.seconds), duration(cost.seconds)
    assert f"At least {times[0]} with {cores} cores, {times[1]} with any number of machines." in lines


def test_what_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    thousand = Load("tokenise", 1000, 1, 1000)
    jobs = {
        1: PlannedJob("tokenise", thousand, runs=False, finished=Finished(140.0, 100.0, 0.0)),
        2: PlannedJob("tokenise", thousand, runs=True, finished=None),
        3: PlannedJob("train_teacher", Load("train_teacher"), runs=True, finished=None),
    }
    lines = list(told(PlannedRun(jobs, {1: [], 2: [1], 3: [2]}, ["sentence on news: 5 updates"]), cores=1))
    assert "sentence on news: 5 updates" in lines
    assert lines[1].split()[:4] == ["tokenise", "1", "2", "min"]
    assert lines[-1].startswith("1 jobs have benchmark files") and "2 min, by the shipped rates 70 s" in lines[-1]
    assert "Without a rate, counted as nothing: train_teacher" in lines
    done = PlannedRun({1: jobs[1]}, {1: []})
    assert next(iter(told(done, cores=1))) == "Nothing would run."
    assert [duration(seconds) for seconds in (45, 720, 12600)] == ["45 s", "12 min", "3.5 h"]


def talks(**keys: Any) -> Configuration:
    """The example with the corpus talks alone, whose keys are replaced."""
    config = configured()
    return replace(config, corpora={"talks": replace(config.corpora["talks"], **keys)})


def stood_in(folder: Path, **pairs: int) -> Configuration:
    files = {
        "train": {"files": ["data/**/x*.tsv", "data/one.gz"]},
        "test": {"source": ["data/t.en"], "target": ["data/t.de"]},
    }
    config = talks(shards="auto", splits={name: Given(SplitSettings, keys) for name, keys in files.items()})
    stand_in(config, pairs, folder)
    return config


def test_files_stand_for_every_output_of_another_system(tmp_path: Path) -> None:
    system = ExternalSystemSettings({"test": "outputs/{seed}.txt"}, [2, 3])
    stand_in(talks(systems={"fairseq": system}), {"talks": 100}, tmp_path)
    assert sorted(path.name for path in (tmp_path / "outputs").iterdir()) == ["2.txt", "3.txt"]


def test_files_stand_for_a_corpus_of_any_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = stood_in(tmp_path, talks=200_000_000)
    monkeypatch.chdir(tmp_path)
    pairs = estimated_pairs(config, "talks")
    assert pairs["train"] + pairs["dev"] == pytest.approx(200_000_000, rel=0.01)
    assert pairs["test"] == OTHER_PAIRS
    assert with_shards(config).corpora["talks"].shards == 16_384
    assert sum(path.stat().st_blocks for path in tmp_path.rglob("*.*")) < 1000


def test_sizes_of_other_corpora_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no corpus talk; did you mean talks\?"):
        stood_in(tmp_path, talk=5)
    with pytest.raises(InputError, match="no number for the corpus talks; give --pairs talks=NUMBER, too"):
        stood_in(tmp_path)
