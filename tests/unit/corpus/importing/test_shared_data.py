"""Every stored development corpus is read whole, with the counts its source publishes."""

from pathlib import Path
from typing import Any

import pytest

from discourse_nmt.corpus.importing.importing import Imported, import_corpus, statistics
from discourse_nmt.corpus.importing.plan import plan

MARKED = {"document_marks": ["<chp>", "<d>"], "skip_marks": ["<sp>"], "line_prefixes": ["<en> ", "<2en> "]}
PARALLEL = "concatenated_{}_dev.txt"


@pytest.fixture
def parallel(shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = shared_data / "parallel"
    monkeypatch.chdir(folder)
    return folder


def load(format: str, split: dict[str, Any], languages: str = "en-de", **more: Any) -> Imported:
    split = {role: [files] if isinstance(files, str) else files for role, files in split.items()}
    source, target = languages.split("-")
    values = {"source_language": source, "target_language": target, "format": format, "splits": {"train": split}}
    return import_corpus(plan(values | {"filters": {"splits": []}} | more))


def counts(imported: Imported, split: str = "train") -> tuple[int, int]:
    """Sentences and documents."""
    return sum(map(len, imported.documents[split])), len(imported.documents[split])


@pytest.mark.usefixtures("parallel")
@pytest.mark.parametrize(
    ("name", "sentences", "documents"), [("TED", 8967, 93), ("News", 2169, 81), ("Europarl", 3587, 240)]
)
def test_maruf(name: str, sentences: int, documents: int) -> None:
    files = f"maruf_ende/{name}/concatenated_en2de_dev_"
    imported = load("marked", {"source": f"{files}en.txt", "target": f"{files}de.txt"})
    assert counts(imported) == (sentences, documents)


@pytest.mark.usefixtures("parallel")
def test_ted_is_cut_into_eighty_talks_for_training_and_the_rest() -> None:
    files = "maruf_ende/TED/concatenated_en2de_dev_"
    split = {"source": f"{files}en.txt", "target": f"{files}de.txt"}
    imported = load("marked", split, held_out={"dev": 6, "test": 7}, filters={"max_tokens": 200, "max_ratio": 9})
    assert [len(imported.documents[name]) for name in ("train", "dev", "test")] == [80, 6, 7]
    assert sum(counts(imported, name)[0] for name in ("train", "dev", "test")) == 8967


@pytest.mark.usefixtures("parallel")
@pytest.mark.parametrize(
    ("folder", "language", "suffix", "sentences", "documents"),
    [
        ("Europarl7/English-German", "German", "", 2075, 70),
        ("Europarl7/English-French", "French", ".gz", 4918, 140),
        ("OpenSubtitles2016/English-Russian", "Russian", ".gz", 5893, 462),
    ],
)
def test_bi_msmt(folder: str, language: str, suffix: str, sentences: int, documents: int) -> None:
    split = {
        "source": f"bi_msmt/{folder}/{PARALLEL.format('English')}{suffix}",
        "target": f"bi_msmt/{folder}/{PARALLEL.format(language)}{suffix}",
    }
    imported = load("marked", split, f"en-{language[:2].lower()}", options=MARKED)
    assert counts(imported) == (sentences, documents)
    assert not any("<" in text for document in imported.documents["train"] for text in document.source.sentences)


@pytest.mark.usefixtures("parallel")
def test_bible() -> None:
    table = "bible_ende/bible.en-de.tsv.gz"
    imported = load("table", {"files": table}, options={"source": "en", "target": "de"})
    assert counts(imported) == (31102, 1189)
    assert len({document.doc_id.split(".")[0] for document in imported.documents["train"]}) == 66
    options = {"source": "en", "target": "fr", "key": "verse"}
    joined = load("table", {"source": table, "target": "bible_ende/bible.fr.tsv.gz"}, "en-fr", options=options)
    assert counts(joined) == (31102, 1189)
    options |= {"target": "zh", "unpaired": "drop"}
    joined = load("table", {"source": table, "target": "bible_ende/bible.zh.tsv.gz"}, "en-zh", options=options)
    assert counts(joined) == (31101, 1189)
    assert [drop.reason for drop in joined.drops["train"]] == ["unpaired"]


@pytest.mark.usefixtures("parallel")
def test_bcontrast() -> None:
    dev = {"files": ["bcontrast_ende/dev.json"]}
    imported = load("dialogues", {"files": "bcontrast_ende/train.json.gz"})
    assert counts(imported) == (13845, 550)
    assert counts(load("dialogues", dev)) == (1902, 78)
    english = {"the", "you", "is", "a", "I", "to"}
    words = [
        word for document in imported.documents["train"] for text in document.source.sentences for word in text.split()
    ]
    other = [
        word for document in imported.documents["train"] for text in document.target.sentences for word in text.split()
    ]
    assert sum(word in english for word in words) > 50 * sum(word in english for word in other)


@pytest.mark.usefixtures("parallel")
def test_wmt24_chat() -> None:
    options = {"layout": "csv", "target": "reference", "direction": "source_language"}
    imported = load("table", {"files": "wmt24_chat_ende/train.en-de.csv.gz"}, options=options)
    assert counts(imported) == (17805, 493)
    first = imported.documents["train"][0]
    assert first.source.sentences[0] == "Dear Sir or Madam,"
    assert first.target.sentences[0] == "Sehr geehrte Damen und Herren,"


@pytest.mark.usefixtures("parallel")
@pytest.mark.parametrize(("languages", "sentences", "documents"), [("en-de", 2071, 100), ("de-en", 2113, 100)])
def test_europarl_uds(languages: str, sentences: int, documents: int) -> None:
    options = {"source": "src", "target": "tgt"}
    split = {"files": f"europarl_uds/europarl_uds.{languages}.tsv.gz"}
    assert counts(load("table", split, languages, options=options)) == (sentences, documents)


@pytest.mark.usefixtures("parallel")
def test_wiki_docsub() -> None:
    options = {"header": False, "document": 1, "source": 4, "target": 5, "documents": "runs"}
    imported = load("table", {"files": "wiki_docsub_zhen/train.zh-en.gz"}, "zh-en", options=options)
    sentences, documents = counts(imported)
    assert sentences == 26505
    titles = {document.doc_id.removesuffix("-2") for document in imported.documents["train"]}
    assert (documents, len(titles)) == (693, 692)  # one title comes twice
    assert counts(load("table", {"files": "wiki_docsub_zhen/dev.zh-en.gz"}, "zh-en", options=options)) == (2020, 75)


@pytest.mark.usefixtures("parallel")
def test_tvsub() -> None:
    archive = "tvsub_zhen/train_300_episodes.tar.gz"
    split = {"source": f"{archive}::*.zh", "target": f"{archive}::*.en"}
    imported = load("file_pairs", split, "zh-en")
    assert counts(imported) == (265880, 300)
    assert [document.doc_id for document in imported.documents["train"]][:3] == ["0", "1", "2"]
    dev = {"source": "tvsub_zhen/dev/*.zh", "target": "tvsub_zhen/dev/*.en"}
    assert counts(load("file_pairs", dev, "zh-en")) == (1086, 1)


@pytest.mark.usefixtures("parallel")
@pytest.mark.parametrize(
    ("name", "translated", "metadata", "pages", "words"),
    [("gnome-help", 3528, 15, 310, 61_600), ("system-admin-guide", 660, 1, 57, 8_800)],
)
def test_gnome_help(name: str, translated: int, metadata: int, pages: int, words: int) -> None:
    imported = load("gettext", {"files": f"gnome_help/{name}.de.po.gz"})
    documents = imported.documents["train"]
    assert len(documents) == pages
    lines = {line: text for doc in documents for line, text in zip(doc.source.lines, doc.source.sentences)}
    # The published number of translated messages counts the metadata, which is no text of any page.
    assert [drop.reason for drop in imported.drops["train"]] == ["skipped context"] * metadata
    assert len(lines) + metadata == translated
    assert sum(len(text.split()) for text in lines.values()) == pytest.approx(words, abs=60)


@pytest.mark.usefixtures("parallel")
def test_statistics_count_characters_of_chinese() -> None:
    dev = {"source": "tvsub_zhen/dev/*.zh", "target": "tvsub_zhen/dev/*.en"}
    imported = load("file_pairs", dev, "zh-en")
    values = {"source_language": "zh", "target_language": "en", "format": "file_pairs", "splits": {"train": dev}}
    values["splits"] = {"train": {role: [files] for role, files in dev.items()}}
    (row,) = statistics(imported.documents, plan(values).corpus, {}).values.tolist()
    text = "".join(imported.documents["train"][0].source.sentences)
    assert row[3] == len("".join(text.split()))
