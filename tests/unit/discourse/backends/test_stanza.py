"""The Stanza backend on micro models that Stanza's own commands have just learnt: form, never accuracy."""

import json
import re
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import requests
import torch
from filelock import FileLock
from stanza.models.common.doc import Document
from stanza.models.coref.coref_chain import CorefChain, CorefMention

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.tables import read_table, write_table
from discourse_nmt.discourse.backends.backend import Context, DocumentInput
from discourse_nmt.discourse.backends.checks import check_rows
from discourse_nmt.discourse.backends.files import imported
from discourse_nmt.discourse.backends.files.exchange import conllu_of
from discourse_nmt.discourse.backends.stanza import coreference as stanza_coreference
from discourse_nmt.discourse.backends.stanza import syntax as stanza_syntax
from discourse_nmt.discourse.backends.stanza.coreference import StanzaCoreference
from discourse_nmt.discourse.backends.stanza.pipeline import RESERVED
from discourse_nmt.discourse.formats.conllu import write_conllu
from discourse_nmt.discourse.records.record import rows_by_document
from discourse_nmt.discourse.settings import ImportSettings, StanzaSettings
from discourse_nmt.discourse.structures.rows import Row
from tests.unit.discourse.backends.backend_documents import document
from tests.unit.discourse.backends.stanza_models import PROCESSORS, install, train_models, treebank

CONTEXT = Context("talks", "dev", "source", "de")
ODD = (
    "Der Hund  geht\u00a0zum Garten.",
    "Der Vogel kommt. Der Baum geht im Garten.",
    "\u0085 Zum\x07Baum",
    "\x01\u0085",
)


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> StanzaSettings:
    """A folder of micro models as Stanza's download makes it; parallel test processes train them once."""
    folder = tmp_path_factory.getbasetemp()
    folder = (folder.parent if re.search(r"gw\d+$", folder.name) else folder) / "stanza"
    (folder / "training").mkdir(parents=True, exist_ok=True)
    with FileLock(folder / "lock"):
        if not (folder / "resources.json").is_file():
            threads = torch.get_num_threads()
            torch.set_num_threads(1)
            train_models(folder / "training")
            torch.set_num_threads(threads)
            install(folder / "training", folder, "de")
    return StanzaSettings(str(folder))


@pytest.fixture(scope="session")
def backend(models: StanzaSettings) -> stanza_syntax.StanzaSyntax:
    return stanza_syntax.make("syntax", models, CONTEXT)


@pytest.fixture(scope="session")
def documents() -> list[DocumentInput]:
    """Two documents of fresh sentences and one of odd ones."""
    texts = [str(sentence.comment("text")) for sentence in treebank(20, seed=3)[1]]
    pieces = [tuple(texts[:12]), ODD, tuple(texts[12:])]
    return [DocumentInput(f"d{number}", piece, {}) for number, piece in enumerate(pieces)]


@pytest.fixture(scope="session")
def analyses(backend: stanza_syntax.StanzaSyntax, documents: list[DocumentInput]) -> list[list[Row]]:
    return backend.analyse(documents)


def test_rows_are_a_valid_table(analyses: list[list[Row]], documents: list[DocumentInput], tmp_path: Path) -> None:
    for one, rows in zip(documents, analyses, strict=True):
        check_rows("syntax", one, rows)
        for text, row in zip(one.sentences, rows, strict=True):
            assert row["side"] == "source"
            assert row["heads"].count(-1) == 1
            assert [relation == "root" for relation in row["deprels"]] == [head < 0 for head in row["heads"]]
            visible = re.sub(r"[\s\x00-\x1f\x7f-\x9f]", "", text)
            assert "".join("".join(row["forms"]).split()) == visible or row["forms"] == [text] == [ODD[3]]
    everything = [row for rows in analyses for row in rows]
    write_table(pd.DataFrame(everything), tmp_path / "syntax.parquet", "syntax")
    again = rows_by_document(read_table(tmp_path / "syntax.parquet", "syntax"), "source")
    read = [{"doc_id": one.doc_id, "side": "source", **row} for one in documents for row in again[one.doc_id]]
    assert read == everything


def test_words_of_multiword_tokens_are_pieces(analyses: list[list[Row]]) -> None:
    pairs = {
        (row["forms"][word], row["forms"][word + 1], row["lemmas"][word])
        for row in analyses[0] + analyses[2]
        for word in range(len(row["forms"]) - 1)
        if row["ends"][word] == row["starts"][word + 1] and row["forms"][word + 1] == "m"
    }
    assert ("zu", "m", "zu") in pairs
    assert ("i", "m", "in") in pairs


def test_sentences_of_the_corpus_are_never_divided(analyses: list[list[Row]]) -> None:
    assert len(analyses[1]) == len(ODD)
    assert analyses[1][1]["forms"].count(".") == 2
    assert (analyses[1][3]["forms"], analyses[1][3]["upos"]) == (["\x01\u0085"], ["X"])


def test_a_document_does_not_depend_on_its_batch(
    backend: stanza_syntax.StanzaSyntax, analyses: list[list[Row]], documents: list[DocumentInput]
) -> None:
    assert [backend.analyse([one])[0] for one in documents] == analyses
    assert backend.analyse(documents[::-1]) == analyses[::-1]
    assert backend.analyse([]) == []


def test_the_analysis_survives_conllu(
    analyses: list[list[Row]], documents: list[DocumentInput], tmp_path: Path
) -> None:
    given = [replace(one, tables={"syntax": rows}) for one, rows in zip(documents, analyses)]
    for one in given[::2]:
        (tmp_path / f"{one.doc_id}.conllu").write_text(write_conllu(conllu_of(one)), encoding="utf-8")
    reader = imported.make("syntax", ImportSettings(str(tmp_path / "{document}.conllu"), "conllu"), CONTEXT)
    assert reader.analyse(given[::2]) == analyses[::2]


@pytest.fixture
def requested(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Addresses that were asked for; there is no network."""
    asked: list[str] = []

    def refuse(address: str, *_: Any, **__: Any) -> None:
        asked.append(address)
        raise requests.ConnectionError("no network in this test")

    monkeypatch.setattr(requests, "get", refuse)
    return asked


def test_models_that_options_name(
    models: StanzaSettings, analyses: list[list[Row]], documents: list[DocumentInput], tmp_path: Path
) -> None:
    (tmp_path / "resources.json").write_text("{}", encoding="utf-8")
    paths = {f"{name}_model_path": f"{models.folder}/training/{name}.pt" for name in PROCESSORS}
    settings = StanzaSettings(str(tmp_path), options={**paths, "depparse_batch_size": 50})
    assert stanza_syntax.make("syntax", settings, CONTEXT).analyse(documents[:1]) == analyses[:1]


def test_the_code_of_the_language_is_stanzas(
    models: StanzaSettings, analyses: list[list[Row]], documents: list[DocumentInput], tmp_path: Path
) -> None:
    install(Path(models.folder) / "training", tmp_path, "zh-hans")
    settings = StanzaSettings(str(tmp_path))
    chinese = replace(CONTEXT, language="zh")
    assert stanza_syntax.make("syntax", settings, chinese).analyse(documents[:1]) == analyses[:1]
    with pytest.raises(InputError, match="for the language zh-hant"):
        stanza_syntax.make("syntax", replace(settings, language="zh-hant"), chinese)


CHANGES: list[tuple[dict[str, Any], str, bool]] = [
    ({"folder": "{}/x"}, r"/x: no models of Stanza .* set download: missing", False),
    ({"language": "fr"}, r"cannot load tokenize.* for the language fr \(.*/fr/tokenize/default\.pt", False),
    ({"package": "large"}, r"cannot load tokenize.* for the language de \(", False),
    ({"options": {"pos_model_path": "no.pt"}}, r"cannot load .*no\.pt.*\); set download", False),
    ({"options": {"pos_model_path": "{}/training/train.txt"}}, r"a model file for .* is damaged or not a model", False),
    ({"options": {"lang": "fr"}}, r"options\.lang cannot be set", False),
    ({"download": "update"}, r"cannot load .*no network.*; check the network", True),
    ({"folder": "{}/new", "download": "missing"}, r"cannot load .*no network.*; check the network", True),
]


@pytest.mark.parametrize(("changes", "problem", "asks"), CHANGES)
def test_what_is_missing_is_told_and_downloaded_only_if_allowed(
    models: StanzaSettings, changes: dict[str, Any], problem: str, asks: bool, requested: list[str]
) -> None:
    filled = json.loads(json.dumps(changes).replace("{}", models.folder))
    with pytest.raises(InputError, match=problem) as caught:
        stanza_syntax.make("syntax", replace(models, **filled), CONTEXT)
    assert "\n" not in str(caught.value)
    assert bool(requested) == asks


def test_coreference_says_what_it_needs(models: StanzaSettings, requested: list[str]) -> None:
    # Without transformers and peft these are missing, with them the model is.
    with pytest.raises(InputError, match=r"install transformers and peft|coref"):
        stanza_coreference.make("coreference", models, CONTEXT)
    assert requested == []


def resolving(*chains: list[tuple[int, int, int]]) -> Any:
    """A pipeline that finds these chains of mentions (sentence, first word, word after), whatever the text."""

    def pipeline(words: list[list[str]]) -> Document:
        found = Document([[{"id": (n + 1,), "text": word} for n, word in enumerate(one)] for one in words])
        mentions = [[CorefMention(*one) for one in chain] for chain in chains]
        found.coref = [CorefChain(n, chain, "", 0) for n, chain in enumerate(mentions)]
        return found

    return lambda *_, **__: pipeline


@pytest.mark.parametrize(
    ("chains", "fault"),
    [
        ([], "finds no mention in 'Maria verlor ihre Schlüssel. Sie fand sie später.'"),
        ([[(0, 1, 2), (1, 1, 2)]], "does not find that 'Maria' and 'Sie' are one person, but verlor/fand"),
        ([[(0, 0, 1), (1, 0, 1)], [(0, 2, 4), (0, 3, 5)]], "finds mentions that cross"),
    ],
    ids=["empty", "shifted", "crossing"],
)
def test_a_model_that_fails_on_the_first_text_is_an_error(
    chains: list[list[tuple[int, int, int]]], fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stanza_coreference, "load_pipeline", resolving(*chains))
    packages = rf"stanza {re.escape(version('stanza'))} \(.*torch .*\)"
    with pytest.raises(InputError, match=f"{packages} {fault}.*; install versions that") as caught:
        stanza_coreference.make("coreference", StanzaSettings("models"), CONTEXT)
    assert "\n" not in str(caught.value)


def test_a_sound_model_gets_the_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stanza_coreference, "load_pipeline", resolving([(0, 0, 1), (1, 0, 1)]))
    backend = stanza_coreference.make("coreference", StanzaSettings("models"), CONTEXT)
    [rows] = backend.analyse([document("syntax")])
    assert [(row["sent_id"], row["start"], row["end"]) for row in rows] == [(0, 0, 2), (1, 0, 3)]


def test_zero_pronouns_are_no_mentions(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, object] = {}

    def noted(*words: object, **options: object) -> object:
        asked.update(options)
        return resolving([(0, 0, 1), (1, 0, 1)])(*words)

    monkeypatch.setattr(stanza_coreference, "load_pipeline", noted)
    stanza_coreference.make("coreference", StanzaSettings("models"), CONTEXT)
    assert asked["coref_use_zeros"] is False


def test_chains_of_stanza_become_rows() -> None:
    given = document("syntax")
    seen: list[list[list[str]]] = []

    def resolve(words: str | list[list[str]]) -> Document:
        """What Stanza's processor does: chains over words, from 0, with an unwritten pronoun in one of them."""
        assert isinstance(words, list)
        seen.append(words)
        found = Document([[{"id": (n + 1,), "text": word} for n, word in enumerate(one)] for one in words])
        person = [CorefMention(0, 0, 1), CorefMention(1, 0, 1), CorefMention(1, (2, 1), (2, 1))]
        event = [CorefMention(1, 1, 4), CorefMention(0, 2, 5)]
        found.sentences[1]._empty_words.append(found.sentences[1].words[0])
        alone = [CorefMention(0, 9, 10), CorefMention(0, (3, 1), (3, 1))]
        found.sentences[0]._empty_words.append(found.sentences[0].words[0])
        found.coref = [CorefChain(n, chain, "", 0) for n, chain in enumerate((person, alone, event))]
        return found

    empty = {**given.tables["syntax"][0], "sent_id": 0, "forms": [], "heads": [], "starts": [], "ends": []}
    moved = [empty, *({**row, "sent_id": number + 1} for number, row in enumerate(given.tables["syntax"]))]
    shifted = DocumentInput("d", (" ", *given.sentences), {"syntax": moved})
    [rows] = StanzaCoreference(resolve).analyse([shifted])
    check_rows("coreference", shifted, rows)
    assert seen == [[row["forms"] for row in given.tables["syntax"]]]
    columns = ("chain_id", "sent_id", "start", "end", "head_start", "head_end")
    assert [tuple(row[column] for column in columns) for row in rows] == [
        (0, 1, 0, 2, 0, 2),
        (0, 2, 0, 3, 0, 3),
        (1, 1, 8, 15, 8, 9),
        (1, 2, 4, 15, 4, 7),
    ]


@pytest.mark.parametrize("name", sorted(RESERVED))
def test_what_other_keys_say_is_no_option(name: str) -> None:
    """The first one by the alphabet is told, in every process."""
    given: list[dict[str, Any]] = [{name: "x"}, {reserved: "x" for reserved in sorted(RESERVED) if reserved >= name}]
    for options in given:
        with pytest.raises(InputError, match=rf"stanza: options\.{name} cannot be set; use the other keys"):
            stanza_syntax.make("syntax", StanzaSettings("no folder", options=options), CONTEXT)
