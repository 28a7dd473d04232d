"""Names of files in a configuration: placeholders of languages, and the folder of data for development."""

from typing import Any

from discourse_nmt.workflow.data.names import place_data
from discourse_nmt.workflow.data.plan import DataFiles
from discourse_nmt.workflow.plan.files import Files


def config() -> dict[str, Any]:
    data = {"folder": "data/help", "names": {"en": "en-US"}, "debian": ["help-{source}", "help-{target}"]}
    own = {"train": {"source": ["data/help/{source}/*.html"], "target": ["data/help/{target}/*.html"]}}
    plain = {"train": {"files": ["data/{source}.tsv", "results/data/x.tsv"]}}
    languages = {"source_language": "en", "target_language": "de", "suites": {}}
    return {
        "corpora": {
            "help": {**languages, "data": data, "splits": own, "suites": {"pro": {"groups": ["data/{target}"]}}},
            "plain": {**languages, "data": None, "splits": plain},
        },
        "parsers": {"en": {"treebanks": {"train": {"conllu": ["data/gum/*.conllu"]}}}},
    }


def test_placeholders_are_the_names_of_the_languages_where_a_corpus_says_them() -> None:
    found = config()
    place_data(found, {})
    help_corpus, plain = found["corpora"]["help"], found["corpora"]["plain"]
    assert help_corpus["splits"]["train"] == {
        "source": ["data/help/en-US/*.html"],
        "target": ["data/help/de/*.html"],
    }
    assert help_corpus["suites"]["pro"] == {"groups": ["data/de"]}
    assert help_corpus["data"] == {
        "folder": "data/help",
        "names": {"en": "en-US"},
        "debian": ["help-en-US", "help-de"],
    }
    assert plain["splits"] == config()["corpora"]["plain"]["splits"]


def test_another_pair_of_languages_needs_no_other_change() -> None:
    found = config()
    found["corpora"]["help"]["target_language"] = "fr"
    place_data(found, {})
    assert found["corpora"]["help"]["data"]["debian"] == ["help-en-US", "help-fr"]
    assert found["corpora"]["help"]["splits"]["train"]["target"] == ["data/help/fr/*.html"]


def test_the_variable_moves_every_name_below_data_and_no_other() -> None:
    found = config()
    place_data(found, {"DISCOURSE_NMT_DATA": "/elsewhere/"})
    assert found["corpora"]["help"]["data"]["folder"] == "/elsewhere/help"
    assert found["corpora"]["help"]["splits"]["train"]["source"] == ["/elsewhere/help/en-US/*.html"]
    assert found["corpora"]["plain"]["splits"]["train"]["files"] == ["/elsewhere/{source}.tsv", "results/data/x.tsv"]
    assert found["parsers"]["en"]["treebanks"]["train"]["conllu"] == ["/elsewhere/gum/*.conllu"]


def test_the_workflow_brings_what_lies_in_the_folder_of_the_data_and_no_more() -> None:
    found = config() | {"run": "r"}
    found["parsers"]["en"]["data"] = None
    data = DataFiles(found, Files(found))
    assert data.brings("help", "data/help/en/x.html")
    assert not data.brings("help", "data/help2/x.html") and not data.brings("plain", "data/help/en/x.html")
