"""Discourse units that a joint network learns apart, and traditional Chinese characters."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import parse_settings
from discourse_nmt.base.storage.files import write_json
from discourse_nmt.discourse.analysers.analyser import UNIT_THRESHOLD, Analyser
from discourse_nmt.discourse.analysers.batches import IGNORED, SentenceLabels, make_batch
from discourse_nmt.discourse.analysers.examples import Example
from discourse_nmt.discourse.analysers.inventory import Inventory, sized
from discourse_nmt.discourse.analysers.network import JointNetwork, JointScores, SentenceBatch
from discourse_nmt.discourse.analysers.network_settings import NetworkSettings
from discourse_nmt.discourse.analysers.weights import (
    load_analyser,
    load_segmenter,
    notice_of,
    save_analyser,
    save_simplified,
    save_units,
)
from discourse_nmt.discourse.analysers.words import WordFeatures
from discourse_nmt.discourse.backends.backend import Context, Stage
from discourse_nmt.discourse.backends.builtin import edus, syntax
from discourse_nmt.discourse.backends.builtin.joint import joint_network
from discourse_nmt.discourse.backends.builtin.models import model_files
from discourse_nmt.discourse.formats.conllu import documents_of, read_conllu
from discourse_nmt.discourse.settings import BuiltinSettings
from discourse_nmt.discourse.treebanks.examples import examples_of
from discourse_nmt.discourse.treebanks.preparation import documents_by_name
from discourse_nmt.discourse.treebanks.simplification import simplified, simplified_characters
from discourse_nmt.training.analysers import joint
from discourse_nmt.training.analysers.joint import LearningSettings, loss_of, train, train_units
from discourse_nmt.workflow.configuration.parsers import LearntUnitsSettings
from tests.conftest import ROOT
from tests.unit.discourse.analysers.test_commands import command

FORMS = ("he", "left", ",", "because", "it", "rained")
STARTS = (True, False, False, True, False, False)
SMALL = NetworkSettings(
    word_size=8,
    affix_size=8,
    character_size=4,
    filters=4,
    width=8,
    arc_size=8,
    relation_size=4,
    unit_width=8,
    buckets=64,
)
TUNED = {"average": 0.5, "entry_dropout": 0, "state_dropout": 0, "head_dropout": 0}
TRAINING = {"epochs": 100, "rate": 0.05, "word_dropout": 0, "tuned": TUNED}
SETTINGS = parse_settings(LearningSettings, TRAINING, "training")
EXAMPLES = [
    Example(
        "d", FORMS, FORMS, ("X",) * 6, None, None, (1, -1, 1, 5, 5, 1), ("dep", "root", *["dep"] * 4), STARTS, "main"
    )
] * 2


def learner() -> Analyser:
    """A network that has learnt nothing, but tells words apart."""
    torch.manual_seed(1)
    inventory = Inventory.from_examples(EXAMPLES, "main")
    network = JointNetwork(sized(SMALL, inventory))
    for value in network.parameters():
        torch.nn.init.normal_(value, std=0.5)
    return Analyser(network, inventory, units=False)


def test_units_are_learnt_and_nothing_else_changes(tmp_path: Path) -> None:
    analyser = learner()
    before = {name: value.clone() for name, value in analyser.network.state_dict().items()}
    assert analyser.analyse([[FORMS]])[0][0].edus == ((0, 6),)  # without units, a sentence is one
    taught = train_units(analyser.network, EXAMPLES, analyser.inventory, SETTINGS)
    changed = {name for name, value in taught.state_dict().items() if not value.equal(before[name])}
    assert changed == {name for name in before if name.startswith("unit")} != set()
    assert Analyser(taught, analyser.inventory).analyse([[FORMS]])[0][0].edus == ((0, 3), (3, 6))


def test_units_of_another_treebank_are_learnt_under_both_guidelines(monkeypatch: pytest.MonkeyPatch) -> None:
    examples = [EXAMPLES[0], replace(EXAMPLES[1], treebank="other")] * 2
    lessons: list[tuple[int, bool, bool]] = []
    ids: list[int] = []

    def batch(sentences: list[list[str]], treebanks: list[int], features: WordFeatures) -> SentenceBatch:
        ids[:] = treebanks
        return make_batch(sentences, treebanks, features)

    def loss(network: JointNetwork, scores: JointScores, labels: SentenceLabels, settings: LearningSettings) -> Tensor:
        syntax = (torch.stack(labels[:-1]) != IGNORED).any(0)
        lessons.extend(zip(ids, syntax.any(1).tolist(), (labels.units != IGNORED).any(1).tolist()))
        return loss_of(network, scores, labels, settings)

    monkeypatch.setattr(joint, "make_batch", batch)
    monkeypatch.setattr(joint, "loss_of", loss)
    settings = parse_settings(LearningSettings, {**TRAINING, "epochs": 10, "batch_words": 6}, "training")
    network = train(examples, Inventory.from_examples(examples, "main"), SMALL, settings)
    # Its units under guidelines 0, then without its syntax, and under its own; those of "main" always with syntax.
    assert set(lessons) == {(0, True, True), (0, False, True), (1, True, True)}
    assert lessons.count((0, True, True)) == 20 == lessons.count((0, False, True)) + lessons.count((1, True, True))
    assert all(value.isfinite().all() for value in network.state_dict().values())


def test_units_have_files_and_a_notice_of_their_own(tmp_path: Path) -> None:
    analyser = learner()
    save_analyser(analyser, tmp_path, "one.")
    assert not load_analyser(tmp_path).units
    train_units(analyser.network, EXAMPLES, analyser.inventory, SETTINGS)
    save_units(Analyser(analyser.network, analyser.inventory, threshold=0.25), tmp_path, "two.")
    loaded = load_analyser(tmp_path)
    assert loaded.units and loaded.threshold == 0.25
    assert loaded.analyse([[FORMS]])[0][0].edu_starts == STARTS
    assert notice_of(tmp_path) == "one. two."
    without = load_analyser(tmp_path, units=False)
    assert not without.units and notice_of(tmp_path, units=False) == "one."
    assert without.analyse([[FORMS]])[0][0].heads == loaded.analyse([[FORMS]])[0][0].heads
    content = json.loads((tmp_path / "units.json").read_text(encoding="utf-8"))
    for change, message in (({"joint": "other"}, "another joint network"), ({"threshold": "x"}, "not a number")):
        write_json(content | change, tmp_path / "units.json")
        with pytest.raises(InputError, match=message):
            load_analyser(tmp_path)
        load_analyser(tmp_path, units=False)  # a damaged file that is not used does no harm


def test_the_command_teaches_units_and_annotates(tmp_path: Path) -> None:
    analyser = learner()
    save_analyser(analyser, tmp_path)
    rows = "".join(
        f"{number}\t{form}\t_\tX\t_\t_\t{head + 1}\t{relation}\t_\t{'Seg=B-seg' if start else '_'}\n"
        for number, (form, head, relation, start) in enumerate(
            zip(FORMS, EXAMPLES[0].heads, EXAMPLES[0].deprels, STARTS), 1
        )
    )
    (tmp_path / "a.conllu").write_text(f"# newdoc id = a\n{rows}\n", encoding="utf-8")
    result = command(
        "train_units", "--treebank", f"{tmp_path}/a.conllu", "--genres", "--analyser", str(tmp_path),
        "--development", f"{tmp_path}/a.conllu", "--training", json.dumps(TRAINING),
        "--notice", "free",
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert notice_of(tmp_path) == "free"
    assert json.loads((tmp_path / "units_figures.json").read_text(encoding="utf-8"))["all"]["EDU F1"] == 100
    result = command(
        "annotate_treebank", "--conllu", f"{tmp_path}/a.conllu", "--analyser", str(tmp_path),
        "--output", f"{tmp_path}/out.conllu",
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    [written] = read_conllu((tmp_path / "out.conllu").read_text(encoding="utf-8"), "out")
    assert written.comment("newdoc id") == "a"
    assert written.heads == load_analyser(tmp_path).analyse([[FORMS]])[0][0].heads
    (tmp_path / "a.conllu").write_text(f"# newdoc id = a\n{rows.replace('Seg=B-seg', '_')}\n", encoding="utf-8")
    result = command("train_units", "--treebank", f"{tmp_path}/a.conllu", "--genres", "--analyser", str(tmp_path))
    assert result.returncode == 1 and "no sentence with discourse units" in result.stderr


def test_the_threshold_of_the_configuration_is_that_of_the_analyser() -> None:
    assert LearntUnitsSettings().threshold == UNIT_THRESHOLD


def test_traditional_characters_are_read_as_simplified_ones(tmp_path: Path) -> None:
    folder = shutil.copytree(ROOT / "resources" / "analysers" / "zh", tmp_path / "zh")
    plain, other = "他们说，这个电影很有意思。", "他們說，這個電影很有意思。"
    save_simplified(simplified_characters(), folder)
    segmenter, analyser = load_segmenter(folder), load_analyser(folder)
    assert segmenter.segment([plain]) == segmenter.segment([other])
    forms = [[text[start:end] for start, end in segmenter.tokenise([text])[0]] for text in (plain, other)]
    [[one], [two]] = analyser.analyse([[words] for words in forms])
    assert one.forms == tuple(forms[0]) != two.forms == tuple(forms[1])  # words stay as they are written
    assert (one.upos, one.heads, one.deprels, one.edu_starts) == (two.upos, two.heads, two.deprels, two.edu_starts)
    write_json({"traditional": "\u5011", "simplified": ""}, folder / "simplified.json")
    for load in (load_segmenter, load_analyser):
        with pytest.raises(InputError, match="one simplified character for each"):
            load(folder)


def test_the_table_leaves_simplified_text_alone() -> None:
    table = simplified_characters()
    assert table["們"] == "们" and table["體"] == "体"
    assert not set("的一是在不了有和人这中大为上个国我以要他时来用们") & table.keys()


def test_a_treebank_gets_simplified_characters() -> None:
    text = "# text = 這個\n1\t這\t這\tDET\t_\t_\t2\tdet\t_\t_\n2\t個\t個\tNOUN\t_\t_\t0\troot\t_\t_\n\n"
    after = simplified(read_conllu(text, "a")[0])
    assert [(word.form, word.lemma, word.upos) for word in after.words] == [("这", "这", "DET"), ("个", "个", "NOUN")]
    assert after.comment("text") == "这个"


def test_a_repeated_mark_goes_on_with_its_document() -> None:
    row = "1\ta\ta\tX\t_\t_\t0\troot\t_\t_\n\n"
    text = "".join(f"# newdoc id = {name}\n{row}" for name in "aabb")
    documents = documents_by_name(read_conllu(text, "pud"), "pud.conllu", "pud")
    assert {name: len(group) for name, group in documents.items()} == {"a": 2, "b": 2}
    again = [sentence for group in documents.values() for sentence in group]
    assert [len(list(group)) for _, group in documents_of(again)] == [2, 2]
    with pytest.raises(InputError, match="comes twice"):
        documents_by_name(read_conllu(f"{text}# newdoc id = a\n{row}", "pud"), "pud.conllu", "pud")


def test_documents_without_tags_of_the_language_teach_none() -> None:
    rows = [f"1\ta\ta\tX\t{tag}\t_\t0\troot\t_\t_\n\n" for tag in ("_", "_", "T", "_")]
    text = f"# newdoc id = a\n{rows[0]}{rows[1]}# newdoc id = b\n{rows[2]}{rows[3]}"
    tags = [example.xpos for example in examples_of(read_conllu(text, "t"), "main", units=True, features=True)]
    assert tags == [None, None, ("T",), ("_",)]


def test_the_documents_that_measure_are_not_taken(tmp_path: Path) -> None:
    row = "1\ta\ta\tX\t_\t_\t0\troot\t_\t_\n\n"
    names = [f"document{number}" for number in range(20)]
    (tmp_path / "all.conllu").write_text(f"# newdoc id = other\n{row}", encoding="utf-8")
    (tmp_path / "some.conllu").write_text("".join(f"# newdoc id = {name}\n{row}" for name in names), encoding="utf-8")
    written = {}
    for folder, options in {
        "train": ["--conllu", f"{tmp_path}/all.conllu", "--kept", f"{tmp_path}/some.conllu"],
        "held": ["--conllu", f"{tmp_path}/some.conllu", "--part", "held"],
    }.items():
        result = command("prepare_treebank", *options, "--language", "en", "--output", f"{tmp_path}/{folder}")
        assert result.returncode == 0, result.stderr
        written[folder] = {path.stem for path in (tmp_path / folder / "conllu").glob("*.conllu")}
    assert written["train"] | written["held"] == {"other", *names} and "other" in written["train"]
    assert not written["train"] & written["held"] and written["held"]


@pytest.mark.parametrize(("stage", "told"), [("syntax", False), ("edus", True)])
def test_stages_read_the_files_that_they_use(stage: Stage, told: bool, caplog: pytest.LogCaptureFixture) -> None:
    joint_network.cache_clear()  # another test may have been told already
    make = {"syntax": syntax.make, "edus": edus.make}[stage]
    make(stage, BuiltinSettings(), Context("talks", "dev", "source", "de"))
    assert any("not for commercial use" in line for line in caplog.messages) == told
    names = {path.stem for path in model_files(stage, BuiltinSettings(), "de")}
    assert ("units" in names) == told and "joint" in names
    assert "simplified" in {path.stem for path in model_files(stage, BuiltinSettings(), "zh")}
