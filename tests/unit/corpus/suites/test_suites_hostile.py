"""Bad test suites: each fault is one line that names file and line, and nothing is written."""

import dataclasses
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import parse_settings
from discourse_nmt.corpus.suites import FORMATS
from discourse_nmt.corpus.suites.plan import SuiteSettings, plan
from discourse_nmt.workflow.checks.corpora import check_suites
from discourse_nmt.workflow.configuration.corpora import CorpusSection
from tests.conftest import ROOT
from tests.unit.corpus.suites.suite_examples import ANAPHORA, FORM, GROUP, MINIATURES, imported, section

LINES = MINIATURES["contrapro"]
ENGLISH, GERMAN = LINES["source"]["en"], LINES["target"]["de"]
TRIPLE = MINIATURES["contracat"]["target"]["step/de.txt"]


def pronouns(**facts: Any) -> dict[str, Any]:
    return {"src pronoun": "it", "ref pronoun": "er", "ante distance": 1, "errors": [{}, {}], **facts}


@pytest.mark.parametrize(
    ("kind", "files", "message"),
    [
        ("voita", {"files": {"d.json": {}}}, "d.json: not a list of groups; write"),
        ("voita", {"files": {"d.json": []}}, "the suite voita has no items"),
        ("voita", {"files": {"d.json": [GROUP, 7]}}, "d.json: group 2: 'src' is missing or is no text"),
        ("voita", {"files": {"d.json": [{**GROUP, "dst": "Ja"}]}}, "group 1: 'dst' is no list of texts"),
        ("voita", {"files": {"d.json": [{**GROUP, "true_ind": 2}]}}, "'true_ind' is 2, no place in the 2 texts"),
        ("voita", {"files": {"d.json": [{**GROUP, "true_ind": True}]}}, "'true_ind' is True"),
        ("voita", {"files": {"d.json": [{**GROUP, "ctx_dist": -1}]}}, "'ctx_dist' is -1, no number of sentences"),
        (
            "voita",
            {"files": {"d.json": [{**GROUP, "src": "A . _eos B ."}]}},
            "text 0 of 'dst' has 3 sentences, 'src' 2",
        ),
        (
            "voita",
            {"files": {"d.json": [{**GROUP, "dst": GROUP["dst"][:1]}]}},
            "group 1: the group has no wrong variant",
        ),
        (
            "voita",
            {"files": {"d.json": [{**GROUP, "src": "A . _eos _eos B ."}]}},
            "group 1: empty sentence on the source",
        ),
        ("voita", {"files": {"d.json": [{**GROUP, "src": "A . _eos \u0007 _eos B ."}]}}, "control character U\\+0007"),
        ("contrapro", {"groups": {"g": ["0", "3", "6"]}}, "g:3: line 6 is beyond the end: the texts have 5 lines"),
        ("contrapro", {"groups": {"g": ["0", "3"]}}, "g:2: the last number is 3, the texts have 5 lines"),
        (
            "contrapro",
            {"groups": {"g": ["0", "3", "3", "5"]}},
            "g:3: a group starts at line 3, which should be above 3",
        ),
        ("contrapro", {"groups": {"g": ["1", "5"]}}, "g:1: a group starts at line 1, which should be 0"),
        ("contrapro", {"groups": {"g": ["0", "x"]}}, "g:2: 'x' is no line number"),
        ("contrapro", {"groups": {"g": ["9" * 5000]}}, "g:1: '9+' is no line number"),
        ("contrapro", {"groups": {"g": []}}, "g:1: the last number is missing"),
        ("contrapro", {"groups": {"g": ["0", "4", "5"]}}, "en:4: another source than line 1, the first of its group"),
        ("contrapro", {"groups": {"g": ["0", "3", "4", "5"]}}, "de:4: the group has no wrong variant"),
        ("contrapro", {"target": {"de": GERMAN[:-1]}}, "en:5: line without a partner: .*de ends after 4 lines"),
        ("contrapro", {"target": {"de": [*GERMAN[:4], "<SEP> "]}}, "de:5: empty sentence on the target side; correct"),
        ("contrapro", {"target": {"de": ["Sie ist alt.", *GERMAN[1:]]}}, "de:1: 1 segments, 2 in .*en; <SEP> must"),
        ("contrapro", {"target": {"de": [*GERMAN[:4], GERMAN[3]]}}, "de:4: the group has no wrong variant"),
        ("contrapro", {"metadata": {"m.json": [pronouns()]}}, "m.json: 1 objects, 2 groups in .*groups.txt"),
        ("contrapro", {"groups": None, "metadata": {"m.json": [pronouns()]}}, "m.json: stands for 3 lines, .*en has 5"),
        ("contrapro", {"groups": None, "metadata": {"m.json": [pronouns(errors=2)]}}, "group 1: 'errors' is no list"),
        ("contrapro", {"metadata": {"m.json": [pronouns(), {}]}}, "group 2: 'src pronoun' is missing or is no text"),
        (
            "contrapro",
            {"source_context": {"c.en": ["a"] * 7}, "target_context": {"c.de": ["a"] * 7}},
            "c.en: 7 lines, no multiple of the 5 lines",
        ),
        (
            "contracat",
            {"genders": {"g.txt": ["mf"] * 3}},
            "g.txt:1: 'mf' is not one of the genders \\(m, f, n\\); templates",
        ),
        ("contracat", {"genders": {"g.txt": ["m", "f", "m"]}}, "g.txt:2: 'f' is another gender than its group"),
        ("contracat", {"genders": {"g.txt": ["m", "m"]}}, "en.txt:3: line without a partner"),
        (
            "contracat",
            {
                "source": {"e": ["It. <SEP> It is."] * 4},
                "target": {"d": [*TRIPLE, TRIPLE[0]]},
                "genders": {"g": ["f"] * 4},
            },
            "e:4: the last group has 1 of 3 lines",
        ),
        ("discevalmt", {"files": {"a.json": []}}, "a.json: not an object of numbered blocks"),
        ("discevalmt", {"files": {"a.json": {"9" * 5000: ANAPHORA}}}, "a.json: not an object of numbered blocks"),
        ("discevalmt", {"files": {"a.json": {"one": ANAPHORA}}}, "a.json: not an object of numbered blocks"),
        ("discevalmt", {"files": {"a.json": {"1": ANAPHORA, "02": ANAPHORA}}}, "group 2: no object"),
        ("discevalmt", {"files": {"a.json": {"1": {**ANAPHORA, "src": ["Eins."]}}}}, "'src' is no pair of sentences"),
        ("discevalmt", {"files": {"a.json": {"1": {**ANAPHORA, "trg": []}}}}, "group 1: 'trg' is no list of examples"),
        ("discevalmt", {"files": {"a.json": {"1": {**ANAPHORA, "trg": [{"type": "x"}]}}}}, "'semi-correct' is no pair"),
        ("discevalmt", {"files": {"a.json": {"1": {"type": "repet", "examples": [{}]}}}}, "'src' is no pair"),
        ("ctxpro", {"source": {"s": ["I do.", "I do."]}}, "s:2: 2 lines, 1 objects in .*auxiliary.json"),
        ("ctxpro", {"source": {"s": ["I do.<eos> We do."]}}, "s:1: 'We do.' is not the 'src segment' of object 1"),
        ("ctxpro", {"files": {"a.json": [{**FORM, "expected": ""}]}}, "a.json: group 1: 'expected' is no form"),
        ("ctxpro", {"files": {"a.json": [{**FORM, "expected": []}]}}, "a.json: group 1: 'expected' is no form"),
        ("ctxpro", {"files": {"a.json": [{**FORM, "rule": None}]}}, "'rule' is missing or is no text"),
        (
            "ctxpro",
            {"files": {"a.json": [{**FORM, "ref segment": " "}]}},
            "a.json: group 1: empty sentence on the target side",
        ),
        (
            "ctxpro",
            {"files": {"a.json": [{**FORM, "rule": "a\tb"}]}},
            "is no name of a phenomenon",
        ),
        ("ctxpro", {"files": {"a.json": [{**FORM, "rule": " "}]}}, "group 1: ' ' is no name of a phenomenon"),
        ("ctxpro", {"files": {"a.json": [{**FORM, "expected": "\ud800"}]}}, "is no name of a phenomenon and no form"),
        ("ctxpro", {"files": {"a.json": [{**FORM, "ref segment": "\ud800"}]}}, "group 1: control character U\\+D800"),
        ("ctxpro", {"files": {"a.json": [{**FORM, "ante distance": 10**30}]}}, "is 10+, no number of sentences"),
        ("ctxpro", {"source": {"s": ["<eos> I do."]}}, "s:1: empty sentence on the source side"),
    ],
)
def test_a_bad_suite_is_one_line(kind: str, files: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message) as error:
        imported(kind, section(tmp_path, kind, **files))
    assert "\n" not in str(error.value)


def test_a_difference_outside_the_context_is_told(tmp_path: Path) -> None:
    early = {**GROUP, "dst": [GROUP["dst"][0], GROUP["dst"][0].replace("regnete", "goss")]}
    with pytest.raises(InputError, match="the variant differs only in context that is left out; raise context"):
        imported("voita", section(tmp_path, "voita", files={"d.json": [early]}), context=1)
    assert len(imported("voita", section(tmp_path, "voita", files={"d.json": [early]}), context=2).items) == 3


@pytest.mark.parametrize("text", ["{", "[1, }", '[{"a": 1, "a": 2}]', "[" * 100_000, "\x00"])
def test_no_json(text: str, tmp_path: Path) -> None:
    (tmp_path / "d.json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"d.json"):
        imported("voita", {"files": [str(tmp_path / "d.json")]})


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ({"format": "contrapr"}, "unknown format contrapr; did you mean contrapro"),
        ({"format": "voita"}, "gives no files; the format voita reads files"),
        (
            {"format": "contrapro", "source": ["a"], "target": ["b"]},
            "gives source, target; .* reads source, target, groups",
        ),
        (
            {"format": "contrapro", "source": ["a"], "target": ["a"], "groups": ["g"]},
            "suite: source and target are the same file, a; name that of each side",
        ),
        ({"format": "voita", "files": ["a"], "context": -1}, "suite: context is -1; it must be at least 0 or null"),
        ({"format": "voita", "files": ["a"], "options": {"separator": 1}}, "options: separator is 1; it must be text"),
        ({"format": "voita", "files": ["a"], "group": ["b"]}, "suite: unknown setting group; did you mean groups"),
        ({"files": ["a"]}, "suite: format is missing"),
        (
            {"format": "voita", "files": ["a"], "options": {"separator": ""}},
            "separator is empty; leave it out",
        ),
    ],
)
def test_bad_settings_name_the_key(section: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        plan(section, ("en", "de"))


CORPUS = {"source_language": "en", "target_language": "de", "format": "table", "splits": {"train": {}, "dev": {}}}


@pytest.mark.parametrize(
    ("suites", "message"),
    [
        ({"dev": {"format": "voita", "files": ["a"]}}, "corpora.c.suites.dev: a split has this name; rename the suite"),
        ({"x": {"format": "voita"}}, "corpora.c.suites.x: gives no files; the format voita reads files"),
    ],
)
def test_a_bad_section_of_the_configuration_is_named(suites: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        check_suites("c", parse_settings(CorpusSection, {**CORPUS, "suites": suites}, "c"))


def test_the_schema_has_the_keys_of_suites() -> None:
    schema = yaml.safe_load((ROOT / "config.schema.yaml").read_text(encoding="utf-8"))["$defs"]["suite"]
    assert set(schema["properties"]) == {field.name for field in dataclasses.fields(SuiteSettings)}
    assert schema["properties"]["format"]["enum"] == list(FORMATS)
    for name in ("format", "context", "where"):
        (field,) = (field for field in dataclasses.fields(SuiteSettings) if field.name == name)
        assert schema["properties"][name]["description"].casefold() == f"{field.metadata['meaning']}.".casefold()


def test_a_missing_file_says_where_to_get_it() -> None:
    with pytest.raises(InputError, match=r"no file absent\.json; ask its authors"):
        imported("voita", {"files": ["absent.json"], "where": "ask its authors"})


def test_nothing_is_written_of_a_bad_suite(tmp_path: Path) -> None:
    given = section(tmp_path, "contrapro", groups={"groups.txt": ["0", "3", "9"]})
    command = [
        sys.executable,
        "-m",
        "discourse_nmt.workflow_scripts.corpus.import_suite",
        "--suite",
        "s",
        "--settings",
        json.dumps(given),
        *("--source-language", "en", "--target-language", "de"),
    ]
    output = ["--output", str(tmp_path / "corpus"), "--items", str(tmp_path / "s.parquet")]
    output += ["--documents", str(tmp_path / "documents.parquet")]
    result = subprocess.run([*command, *output], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 1 and result.stderr.count("\n") == 1
    assert "groups.txt:3: line 9 is beyond the end" in result.stderr
    assert not (tmp_path / "corpus").exists() and not (tmp_path / "s.parquet").exists()
    assert not (tmp_path / "documents.parquet").exists()
