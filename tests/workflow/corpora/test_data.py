"""The target data and the import behind it: a server on loopback, files put by hand, files that nobody has."""

import hashlib
import tarfile
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from tests.workflow.test_workflow import NOTHING, snakemake

TREE = (
    '<rst><header><relations><rel name="joint" type="multinuc"/></relations></header>'
    '<body><segment id="1">Oui</segment></body></rst>'
)
LINES = "".join(f"{number}\tone {number}\teins {number}\n" for number in range(8))


@pytest.fixture(autouse=True)
def data_lie_in_the_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    """No other folder stands for data/."""
    monkeypatch.delenv("DISCOURSE_NMT_DATA", raising=False)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """A server on loopback with the file corpus.de.tsv; its address."""
    folder = tmp_path / "server"
    folder.mkdir()
    (folder / "corpus.de.tsv").write_text(LINES, encoding="utf-8")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=folder)) as served:
        threading.Thread(target=served.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{served.server_port}"
        served.shutdown()


def configuration(folder: Path, **data: Any) -> None:
    corpus = {
        "source_language": "en",
        "target_language": "de",
        "format": "table",
        "options": {"header": False, "document": 1, "source": 2, "target": 3},
        "data": {"folder": "data/own", **data},
        "splits": {"train": {"files": ["data/own/corpus.{target}.tsv"]}},
        "held_out": {"dev": 2},
        "where": "ask its authors",
    }
    settings = {"run": "my", "corpora": {"own": corpus}, "experiments": {"sentence": {"system": "transformer"}}}
    (folder / "my.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")


def test_a_file_comes_from_a_server_once_and_is_imported(server: str, tmp_path: Path) -> None:
    digest = hashlib.sha256(LINES.encode()).hexdigest()
    configuration(tmp_path, urls={"corpus.{target}.tsv": {"url": f"{server}/corpus.{{target}}.tsv", "sha256": digest}})
    result = snakemake(tmp_path, "--configfile", "my.yaml", "--", "data")
    assert result.returncode == 0, result.stdout
    assert (tmp_path / "data" / "own" / "corpus.de.tsv").read_text(encoding="utf-8") == LINES
    # Without the server: what is there is not asked for again.
    (tmp_path / "server" / "corpus.de.tsv").unlink()
    result = snakemake(tmp_path, "--configfile", "my.yaml", "--", "corpus")
    assert result.returncode == 0, result.stdout
    statistics = pd.read_csv(tmp_path / "results" / "my" / "own" / "corpus" / "statistics.tsv", sep="\t")
    assert dict(zip(statistics["split"], statistics["sentences"])) == {"train": 6, "dev": 2}
    assert NOTHING in snakemake(tmp_path, "--dry-run", "--configfile", "my.yaml", "--", "data", "corpus").stdout


def test_another_file_than_the_expected_one_is_refused(server: str, tmp_path: Path) -> None:
    configuration(tmp_path, urls={"corpus.de.tsv": {"url": f"{server}/corpus.de.tsv", "sha256": "0" * 64}})
    result = snakemake(tmp_path, "--configfile", "my.yaml", "--", "corpus")
    assert result.returncode != 0
    assert f"error: {server}/corpus.de.tsv has the SHA-256" in result.stdout
    assert not list((tmp_path / "data").rglob("*.tsv"))


def test_files_that_nothing_brings_are_told_and_taken_when_put_there(tmp_path: Path) -> None:
    configuration(tmp_path, installed=["absent"])
    result = snakemake(tmp_path, "--configfile", "my.yaml", "--", "corpus")
    assert result.returncode != 0
    line = "error: missing: data/own/corpus.de.tsv (no source has them); ask its authors"
    assert line in result.stdout.splitlines()
    (tmp_path / "data" / "own").mkdir(parents=True)
    (tmp_path / "data" / "own" / "corpus.de.tsv").write_text(LINES, encoding="utf-8")
    result = snakemake(tmp_path, "--configfile", "my.yaml", "--", "corpus")
    assert result.returncode == 0, result.stdout


def test_a_configuration_that_brings_nothing_is_told(tmp_path: Path) -> None:
    configuration(tmp_path)
    result = snakemake(tmp_path, "--dry-run", "--configfile", "my.yaml", "--", "data")
    assert "config: corpora.own.data brings no files; name debian" in result.stdout
    assert "Traceback" not in result.stdout


def test_treebanks_come_from_a_server_as_corpora_do(server: str, tmp_path: Path) -> None:
    """An archive of trees and a file of annotated words, of which only some documents are taken."""
    pages = [f"# newdoc id = {name}\n1\tOui\toui\tINTJ\t_\t_\t0\troot\t_\t_\n\n" for name in "abc"]
    (tmp_path / "server" / "words.conllu").write_text("".join(pages), encoding="utf-8")
    (tmp_path / "server" / "a.rs3").write_text(TREE, encoding="utf-8")
    with tarfile.open(tmp_path / "server" / "trees.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "server" / "a.rs3", "corpus-1/a.rs3")
    names = ("words.conllu", "trees.tar.gz")
    digests = {name: hashlib.sha256((tmp_path / "server" / name).read_bytes()).hexdigest() for name in names}
    treebank = {"conllu": ["data/fr/words.conllu"], "rst": ["data/fr/trees.tar.gz::*/*.rs3"]}
    urls = {name: {"url": f"{server}/{name}", "sha256": digest} for name, digest in digests.items()}
    language: dict[str, Any] = {
        "data": {"folder": "data/fr", "urls": urls},
        "treebanks": {"train": treebank, "dev": {"conllu": ["data/fr/words.conllu"], "sentences": 2}},
    }
    (tmp_path / "my.yaml").write_text(yaml.safe_dump({"run": "my", "parsers": {"fr": language}}), encoding="utf-8")
    folder = tmp_path / "results" / "my" / "parsers" / "fr"
    targets = [f"results/my/parsers/fr/treebanks/{name}" for name in ("train", "dev")]
    result = snakemake(tmp_path, "--configfile", "my.yaml", "--", *targets)
    assert result.returncode == 0, result.stdout
    made = {path.relative_to(folder / "treebanks").as_posix() for path in (folder / "treebanks").rglob("*.*")}
    assert {name for name in made if name.startswith("train")} >= {"train/rs3/a.rs3", "train/conllu/c.conllu"}
    assert len([name for name in made if name.startswith("dev/conllu/") and name.endswith(".conllu")]) == 2
    assert pd.read_csv(folder / "data.tsv", sep="\t").name.tolist() == ["trees.tar.gz", "words.conllu"]
    language["data"]["folder"] = "data/other"
    (tmp_path / "my.yaml").write_text(yaml.safe_dump({"run": "my", "parsers": {"fr": language}}), encoding="utf-8")
    result = snakemake(tmp_path, "--dry-run", "--configfile", "my.yaml", "--", *targets)
    assert "config: parsers.fr.data.folder: no treebank has a file in data/other; name its files" in result.stdout
