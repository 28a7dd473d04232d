"""Names of files in a configuration: placeholders of languages, and the folder of data for development."""

from dataclasses import replace
from typing import Any

from discourse_nmt.base.settings import as_json
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.jobs.files import Files
from discourse_nmt.workflow.plan.data import DataFiles
from discourse_nmt.workflow.resolving.data import with_data


def config(target_language: str = "de") -> Configuration:
    data = {"folder": "data/help", "names": {"en": "en-US"}, "debian": ["help-{source}", "help-{target}"]}
    own = {"train": {"source": ["data/help/{source}/*.html"], "target": ["data/help/{target}/*.html"]}}
    plain = {"train": {"files": ["data/{source}.tsv", "results/data/x.tsv"]}}
    pro = {"format": "voita", "groups": ["data/{target}"]}
    common: dict[str, Any] = {"source_language": "en", "target_language": target_language, "format": "table"}
    corpora = {
        "help": {**common, "data": data, "splits": own, "suites": {"pro": pro}},
        "plain": {**common, "data": None, "splits": plain},
    }
    parsers = {"en": {"treebanks": {"train": {"conllu": ["data/gum/*.conllu"]}}}}
    return Configuration.read({"run": "r", "corpora": corpora, "parsers": parsers})


def test_placeholders_are_the_names_of_the_languages_where_a_corpus_says_them() -> None:
    found = with_data(config(), {})
    help_corpus, plain = found.corpora["help"], found.corpora["plain"]
    assert help_corpus.splits["train"] == {
        "source": ["data/help/en-US/*.html"],
        "target": ["data/help/de/*.html"],
    }
    assert help_corpus.suites["pro"].roles == {"groups": ["data/de"]}
    assert help_corpus.data is not None
    assert (help_corpus.data.folder, help_corpus.data.names) == ("data/help", {"en": "en-US"})
    assert help_corpus.data.debian == ["help-en-US", "help-de"]
    assert plain.splits == config().corpora["plain"].splits


def test_another_pair_of_languages_needs_no_other_change() -> None:
    found = as_json(with_data(config("fr"), {}).corpora["help"])
    assert found["data"]["debian"] == ["help-en-US", "help-fr"]
    assert found["splits"]["train"]["target"] == ["data/help/fr/*.html"]


def test_the_variable_moves_every_name_below_data_and_no_other() -> None:
    read = config()
    found = as_json(with_data(read, {"DISCOURSE_NMT_DATA": "/elsewhere/"}))
    assert found["corpora"]["help"]["data"]["folder"] == "/elsewhere/help"
    assert found["corpora"]["help"]["splits"]["train"]["source"] == ["/elsewhere/help/en-US/*.html"]
    assert found["corpora"]["plain"]["splits"]["train"]["files"] == ["/elsewhere/{source}.tsv", "results/data/x.tsv"]
    assert found["parsers"]["en"]["treebanks"]["train"]["conllu"] == ["/elsewhere/gum/*.conllu"]
    assert read == config(), "what was read stays"


def test_the_workflow_brings_what_lies_in_the_folder_of_the_data_and_no_more() -> None:
    data = DataFiles(config(), Files(config()))
    assert data.brings("help", "data/help/en/x.html")
    assert not data.brings("help", "data/help2/x.html") and not data.brings("plain", "data/help/en/x.html")


def test_corpora_that_share_a_folder_bring_its_files_one_after_the_other() -> None:
    read = config()
    help_corpus = read.corpora["help"]
    assert help_corpus.data is not None
    elsewhere = replace(help_corpus, data=replace(help_corpus.data, folder="data/other"))
    shared = replace(read, corpora={**read.corpora, "again": help_corpus, "elsewhere": elsewhere, "third": help_corpus})
    data = DataFiles(shared, Files(shared))
    assert [data.before(name) for name in ("help", "again", "elsewhere")] == [[], [data.manifest("help")], []]
    assert data.before("third") == [data.manifest("help"), data.manifest("again")]
