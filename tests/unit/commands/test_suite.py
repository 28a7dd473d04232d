"""The subcommand suite: documents to translate in each form, verdicts on what comes back, faults in one line."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from discourse_nmt.base.storage.tables import write_table
from discourse_nmt.command_line import main
from discourse_nmt.scoring.metrics.generation import generation_scores, judge_contrastive
from discourse_nmt.scoring.tables.scores import parse
from tests.unit.corpus.suites.suite_examples import FORM, GROUP, imported, section


@pytest.fixture
def configuration(tmp_path: Path) -> Path:
    """The configuration of two suites: of given translations, and of expected forms."""
    second = {**GROUP, "src": "It rained . _eos He left . _eos He stayed .", "true_ind": 1, "ctx_dist": 1}
    suites = {
        "consistency": section(tmp_path, "voita", files={"deixis.json": [GROUP, second]}),
        "auxiliary": section(
            tmp_path,
            "ctxpro",
            files={"auxiliary.json": [FORM, {**FORM, "expected": "tue", "rule": "DO.NEG"}]},
            source={"auxiliary.en": ["Who believes it?<eos> Nobody.<eos> I do.", "Who does it?<eos> I do."]},
        ),
    }
    corpus = {"source_language": "en", "target_language": "de", "suites": suites}
    path = tmp_path / "suites.yaml"
    path.write_text(yaml.safe_dump({"corpora": {"talks": corpus}}), encoding="utf-8")
    return path


def suite(configuration: Path, *words: str | Path, capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit) as ended:
        main(["suite", *map(str, words), "--configfile", str(configuration)])
    assert ended.value.code == 0, ended.value.code
    return capsys.readouterr().out


def fault(configuration: Path, *words: str | Path) -> str:
    with pytest.raises(SystemExit) as ended:
        main(["suite", *map(str, words), "--configfile", str(configuration)])
    assert "\n" not in str(ended.value.code)
    return str(ended.value.code)


def written(path: Path, *lines: str) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_documents_are_written_without_those_of_wrong_variants(
    configuration: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = suite(configuration, "write", "consistency", capsys=capsys)
    assert text == "It rained .\nShe left .\nHe stayed .\n\nIt rained .\nHe left .\nHe stayed .\n"


def test_a_suite_of_splits_is_that_of_their_tables(
    configuration: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(configuration.parent)
    config = yaml.safe_load(configuration.read_text(encoding="utf-8"))
    config["corpora"]["talks"]["suites"]["address"] = {"format": "address", "splits": ["test"]}
    configuration.write_text(yaml.safe_dump({"run": "first", **config}), encoding="utf-8")
    told = fault(configuration, "write", "address")
    assert "no file results/first/talks/corpus/test/*.parquet; make the target corpus" in told
    rows = {"doc_id": "a", "sent_id": pd.Series([0, 1], dtype="int32"), "source": ["Well.", "You see."]}
    sentences = pd.DataFrame({**rows, "target": ["Nun.", "Du siehst."]})
    write_table(sentences, "results/first/talks/corpus/test/0.parquet", "sentences")
    assert suite(configuration, "write", "address", capsys=capsys) == "Well.\nYou see.\n"


def test_documents_are_written_as_objects_and_as_wmt_has_them(
    configuration: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    objects = [
        json.loads(line)
        for line in suite(configuration, "write", "auxiliary", "--form", "jsonl", capsys=capsys).splitlines()
    ]
    assert objects == [
        {"doc_id": "auxiliary-1", "sentences": ["Who believes it?", "Nobody.", "I do."]},
        {"doc_id": "auxiliary-2", "sentences": ["Who does it?", "I do."]},
    ]
    output = configuration.parent / "wmt.jsonl"
    suite(configuration, "write", "talks/auxiliary", "--form", "wmt", "--output", output, capsys=capsys)
    assert json.loads(output.read_text(encoding="utf-8").splitlines()[1]) == {
        "doc_id": "auxiliary-2",
        "domain": "auxiliary",
        "src_lang": "en",
        "tgt_lang": "de",
        "src_text": "Who does it?\nI do.",
    }


def scores_of(text: str) -> dict[tuple[str, str], float]:
    table = parse(text, file="x")
    return dict(zip(zip(table["experiment"], table["metric"]), table["value"]))


def test_translations_have_the_right_form_a_wrong_one_or_neither(
    configuration: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # In the first item "regnete" and "blieb" are right, "goss" and "bleibt" wrong, in the second the other way round.
    right = ["Es regnete .", "Sie ging .", "Er blieb ."]
    good = written(tmp_path / "good.txt", *right, "Es goss .", "Er ging .", "Er bleibt .")
    bad = written(tmp_path / "bad.txt", *right, *right)
    dumb = written(tmp_path / "dumb.txt", *["Nein ."] * 6)
    both = written(tmp_path / "both.txt", *["Es regnete , goss , blieb , bleibt ."] * 6)
    words: list[str | Path] = ["score", "consistency", good, f"worse={bad}", dumb, both]
    text = suite(configuration, *words, "--format", "tsv", "--items", tmp_path / "items.tsv", capsys=capsys)
    found = scores_of(text)
    assert [found[name, "generation accuracy (all)"] for name in ("good", "worse", "dumb")] == [100, 50, 0]
    assert [found[name, "generation items with a wrong form (all)"] for name in ("good", "worse", "dumb")] == [0, 1, 0]
    assert [found[name, "generation items without either form (deixis)"] for name in ("good", "worse", "dumb")] == [
        0,
        0,
        2,
    ]
    assert (found["worse", "generation accuracy (distance 1)"], found["worse", "generation accuracy (distance 2)"]) == (
        0,
        100,
    )
    items = pd.read_csv(tmp_path / "items.tsv", sep="\t")
    assert items.groupby("system", sort=False)["verdict"].apply(list).to_dict() == {
        "good": ["right", "right"],
        "worse": ["right", "wrong"],
        "dumb": ["neither", "neither"],
        "both": ["wrong", "wrong"],
    }
    shown = suite(configuration, *words, capsys=capsys)
    rows = [
        [cell.strip() for cell in line.split("|")[1:-1]] for line in shown.splitlines() if line.startswith("| all ")
    ]
    assert rows[:2] == [["all", "2", "100.0", "34.2–100.0", "0", "0"], ["all", "2", "50.0", "9.5–90.5", "1", "0"]]


def test_scores_are_the_generation_accuracy_of_the_workflow(
    shared_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """On ContraPro, of which every third translation is a wrong one."""
    folder = shared_data / "contrastive" / "contrapro_ende"
    values: dict[str, Any] = {
        role: [str(folder / f"contrapro_first1200.{name}")]
        for role, name in (("source", "en.txt.gz"), ("target", "de.txt.gz"), ("groups", "sentence_groups.txt"))
    }
    languages = {"source_language": "en", "target_language": "de"}
    configured = {"corpora": {"x": {**languages, "suites": {"contrapro": {**values, "format": "contrapro"}}}}}
    (tmp_path / "c.yaml").write_text(yaml.safe_dump(configured), encoding="utf-8")
    whole = imported("contrapro", values)
    wrong = dict(zip(whole.items["doc_id"], whole.items["wrong"]))
    rows = [
        {"doc_id": one.doc_id, "sent_id": place, "rank": 0, "hypothesis": text}
        for number, one in enumerate(whole.documents)
        for place, text in enumerate(
            [*one.target.sentences[:-1], one.target.sentences[-1] if number % 3 else wrong[one.doc_id]]
        )
    ]
    output = written(tmp_path / "system.txt", *(str(row["hypothesis"]) for row in rows))
    text = suite(tmp_path / "c.yaml", "score", "contrapro", output, "--format", "json", capsys=capsys)
    found = {row["metric"]: (row["value"], row["signature"]) for row in json.loads(text)}
    references = {
        (one.doc_id, place): text for one in whole.documents for place, text in enumerate(one.target.sentences)
    }
    judged = judge_contrastive(whole.items, references, pd.DataFrame(rows), file="x")
    assert found == {score.metric: (score.value, score.signature) for score in generation_scores(judged, file="x")}
    assert found["generation accuracy (all)"][0] == pytest.approx(200 / 3, abs=1)


@pytest.mark.parametrize("name", ["consistency", "auxiliary"])
def test_a_text_for_each_document_is_aligned_with_its_sentences(
    name: str, configuration: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = {
        "consistency": ["Es regnete. Sie ging. Er blieb.", "Es goss. Er ging. Dann. Er bleibt."],
        "auxiliary": ["Wer glaubt es?\nNiemand.\nIch glaube.", "Wer tue es?\nIch nicht."],
    }[name]
    objects = [{"doc_id": f"{name}-{number}", "hypothesis": text} for number, text in enumerate(texts, start=1)]
    file = written(tmp_path / "gpt.jsonl", *map(json.dumps, objects))
    text = suite(configuration, "score", name, file, "--format", "tsv", capsys=capsys)
    # The second text of the second suite has the right form in another sentence.
    assert scores_of(text)["gpt", "generation accuracy (all)"] == {"consistency": 100, "auxiliary": 50}[name]
    shown = suite(configuration, "score", name, file, capsys=capsys)
    assert "omitted sentences: 0, added texts: 0, documents without a translation: 0\n" in shown


@pytest.mark.parametrize("form", ["an item a line", "a sentence a line", "objects", "texts"])
def test_the_rule_of_ctxpro_reads_what_its_script_reads(
    form: str, configuration: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # The form of the first item stands in the last sentence alone by the script's rule; "tue-nicht" is one word.
    texts = [["Wer glaubt es?", "Niemand.", "Ich. Das glaube ich."], ["Ich glaube.", "Das tue-nicht ich."]]
    if form == "an item a line":
        file = written(tmp_path / "deepl.txt", *map(" ".join, texts))
    elif form == "a sentence a line":
        file = written(tmp_path / "deepl.txt", *(text for one in texts for text in one))
    else:
        translated = [{"hypotheses": text} if form == "objects" else {"hypothesis": "\n".join(text)} for text in texts]
        objects = [{"doc_id": f"auxiliary-{number}", **text} for number, text in enumerate(translated, start=1)]
        file = written(tmp_path / "deepl.jsonl", *map(json.dumps, objects))
    words: list[str | Path] = ["score", "auxiliary", file, "--format", "tsv"]
    text = suite(configuration, *words, "--rule", "ctxpro", capsys=capsys)
    found = scores_of(text)
    assert (found["deepl", "generation accuracy (DO.ELL)"], found["deepl", "generation accuracy (DO.NEG)"]) == (100, 0)
    assert "sentence:last|interval:Wilson[95%]" in text
    if form != "an item a line":
        assert scores_of(suite(configuration, *words, capsys=capsys))["deepl", "generation accuracy (all)"] == 100


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["write", "auxilary"], "no suite auxilary under corpora; did you mean auxiliary?"),
        (["write", "auxiliary", "x.txt"], "1 files of translations; suite write reads none"),
        (["score", "auxiliary"], "0 files of translations; name the files of translations"),
        (["score", "consistency", "x.txt", "--rule", "ctxpro"], "--rule ctxpro is for suites with expected forms"),
        (["score", "auxiliary", "x.txt"], "x.txt: 1 lines, but the suite auxiliary has 5 sentences; "),
    ],
)
def test_faults_are_one_line(
    words: list[str], message: str, configuration: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "x.txt", "Ja.")
    assert message in fault(configuration, *words)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            "corpora: {talks: {source_language: en, suites: {a: {}}}}",
            "corpora.talks lacks source_language or target_la",
        ),
        ("corpora: [", "no YAML: "),
        ("run: x", "no suite a under corpora"),
        (
            "corpora: {b: {suites: {a: {}}}, c: {suites: {a: {}}}}",
            "several suites a; name one of b/a, c/a",
        ),
        ("corpora: {1: {suites: {a: {}}}, 2: {suites: {a: {}}}}", "several suites a; name one of 1/a, 2/a"),
        ("corpora: {b: {suites: {7: {}}}}", "no suite a under corpora; choose from 7"),
        (
            "corpora: {b: {source_language: en, target_language: de, suites: {a: 3}}}",
            "corpora.b.suites.a: suite must be a mapping, not 3",
        ),
        (
            "corpora: {b: {source_language: en, target_language: de, suites: {a: {format: voita, flies: [x]}}}}",
            "corpora.b.suites.a: suite",
        ),
    ],
)
def test_faults_of_a_configuration_are_one_line(change: str, message: str, tmp_path: Path) -> None:
    path = written(tmp_path / "faulty.yaml", change)
    found = fault(path, "write", "a")
    assert found.startswith(f"error: {path}:") and message in found


@pytest.mark.parametrize(
    "words",
    [
        ["write", "auxiliary", "--output", "suites.yaml"],
        ["score", "auxiliary", "x.txt", "--output", "x.txt"],
        ["score", "auxiliary", "y=x.*", "--items", "./x.txt"],
    ],
)
def test_no_file_that_is_read_is_overwritten(
    words: list[str], configuration: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    read = [written(tmp_path / "x.txt", *["Ja."] * 5), configuration]
    before = [path.read_bytes() for path in read]
    assert f"{words[-1].removeprefix('./')}: is read and would be overwritten; give another {words[-2]}" in fault(
        configuration, *words
    )
    assert [path.read_bytes() for path in read] == before


@pytest.mark.parametrize(("data", "source"), [({}, "en"), ({"names": {"en": "eng"}}, "eng")])
def test_names_of_languages_stand_in_names_of_files_of_a_corpus_with_data(
    data: dict[str, Any], source: str, configuration: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = yaml.safe_load(configuration.read_text(encoding="utf-8"))
    corpus = whole["corpora"]["talks"]
    corpus["data"] = data
    [file] = corpus["suites"]["auxiliary"]["source"]
    Path(file).rename(tmp_path / f"auxiliary.{source}-de")
    corpus["suites"]["auxiliary"]["source"] = [str(tmp_path / "auxiliary.{source}-{target}")]
    configuration.write_text(yaml.safe_dump(whole), encoding="utf-8")
    assert suite(configuration, "write", "auxiliary", capsys=capsys).startswith("Who believes it?\n")


def test_data_are_read_from_the_folder_of_the_variable(
    configuration: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = configuration.read_text(encoding="utf-8").replace(f"{tmp_path}/", "data/")
    configuration.write_text(text, encoding="utf-8")
    monkeypatch.setenv("DISCOURSE_NMT_DATA", str(tmp_path))
    assert suite(configuration, "write", "auxiliary", capsys=capsys).startswith("Who believes it?\n")
