"""Files of corpora from packages, installations and mtdata: whole or not at all, and one line where there is no way."""

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.corpus.data.fetching import ORIGIN, bring, manifest
from discourse_nmt.corpus.data.settings import DataSettings, check_data, with_names
from discourse_nmt.workflow_scripts.corpus import fetch_data, keep_download

PATTERNS = ["data/help/en/**/*.html", "data/help/de/**/*.html"]


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of programs, which is all that is found; the working directory is tmp_path."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.chdir(tmp_path)
    return folder


def program(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.write_text(f"#!{sys.executable}\nimport pathlib, sys\n{text}\n", encoding="utf-8")
    path.chmod(0o755)


def packages(folder: Path, lacking: str = "none", version: str = "1.2") -> None:
    """Stand-ins of apt-get and dpkg-deb, of which a package is a text file."""
    program(
        folder,
        "apt-get",
        "for name in sys.argv[2:]:\n"
        f"    if name == {lacking!r}: sys.exit(f'W: noise\\nE: Unable to locate package {{name}}')\n"
        f"    pathlib.Path(f'{{name}}_{version}_all.deb').write_text(name)",
    )
    program(
        folder,
        "dpkg-deb",
        "name = pathlib.Path(sys.argv[-2 if '--extract' in sys.argv else -1]).name.split('_')[0]\n"
        f"if '--show' in sys.argv: print(name, {version!r}, sep='\\t', end='')\n"
        "else:\n"
        "    page = pathlib.Path(sys.argv[-1], 'usr/help', name.removeprefix('help-'), 'text/page.html')\n"
        "    page.parent.mkdir(parents=True)\n"
        "    page.write_text(name)",
    )


def settings(**more: object) -> DataSettings:
    return DataSettings(folder="data/help", **more)  # type: ignore[arg-type]


DEBIAN = settings(debian=["help-EN", "help-de"], inside="usr/help")


def test_packages_are_unpacked_and_their_versions_told(programs: Path) -> None:
    packages(programs)
    bring(DEBIAN, PATTERNS)
    assert Path("data/help/de/text/page.html").read_text(encoding="utf-8") == "help-de"
    table = manifest(DEBIAN, PATTERNS)
    assert table[["name", "version", "files", "bytes"]].values.tolist() == [
        ["de/**/*.html", "", "1", "7"],
        ["en/**/*.html", "", "1", "7"],
        ["help-de", "1.2", "", ""],
        ["help-en", "1.2", "", ""],
    ]
    assert table["sha256"].tolist()[2:] == [hashlib.sha256(name).hexdigest() for name in (b"help-de", b"help-en")]
    assert sorted(path.name for path in Path("data").iterdir()) == ["help"]
    Path("data/help/de/text/page.html").rename("data/help/de/text/other.html")
    renamed = manifest(DEBIAN, PATTERNS)
    assert (renamed["sha256"] != table["sha256"]).tolist() == [True, False, False, False]


def test_the_command_brings_files_and_writes_what_is_there(programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packages(programs)
    section = json.dumps({"folder": "data/help", "debian": ["help-EN", "help-de"], "inside": "usr/help"})
    words = ["--settings", section, "--patterns", *PATTERNS, "--where", "Ask her.", "--output", "there.tsv"]
    monkeypatch.setattr(sys, "argv", ["fetch_data", *words])
    fetch_data.main()
    assert Path("there.tsv").read_text(encoding="utf-8") == manifest(DEBIAN, PATTERNS).to_csv(sep="\t", index=False)
    packages(programs, lacking="help-de")
    shutil.rmtree("data")
    with pytest.raises(InputError, match="Ask her"):
        fetch_data.main()


def test_the_versions_told_are_those_of_the_files(programs: Path) -> None:
    """A later version of a package that is there is downloaded with a further one, but its files stay those before."""
    english = settings(debian=["help-en"], inside="usr/help")
    packages(programs)
    bring(english, PATTERNS[:1])
    packages(programs, version="2.0")
    bring(DEBIAN, PATTERNS)
    table = manifest(DEBIAN, PATTERNS)
    assert table[["name", "version"]].values.tolist()[2:] == [["help-de", "2.0"], ["help-en", "1.2"]]


def test_files_that_are_there_are_neither_fetched_nor_changed(programs: Path) -> None:
    packages(programs)
    bring(DEBIAN, PATTERNS)
    before = manifest(DEBIAN, PATTERNS)
    for path in programs.iterdir():
        path.unlink()
    bring(DEBIAN, PATTERNS)
    assert manifest(DEBIAN, PATTERNS).equals(before)
    Path("data/help/de/text/page.html").write_text("changed", encoding="utf-8")
    bring(DEBIAN, PATTERNS)
    after = manifest(DEBIAN, PATTERNS)
    assert (after["sha256"] != before["sha256"]).tolist() == [True, False, False, False]


def test_a_further_language_comes_beside_those_that_are_there(programs: Path) -> None:
    packages(programs)
    bring(DEBIAN, PATTERNS)
    Path("data/help/en/text/page.html").write_text("mine", encoding="utf-8")
    french = settings(debian=["help-en", "help-fr"], inside="usr/help")
    bring(french, ["data/help/en/**/*.html", "data/help/fr/**/*.html"])
    assert Path("data/help/en/text/page.html").read_text(encoding="utf-8") == "mine"
    assert [line.split("\t")[0] for line in Path("data/help", ORIGIN).read_text(encoding="utf-8").splitlines()] == [
        "help-de",
        "help-en",
        "help-fr",
    ]
    assert manifest(french, ["data/help/fr/**/*.html"])["name"].tolist() == ["fr/**/*.html", "help-en", "help-fr"]


def test_all_folders_of_a_package_come_into_a_folder_that_is_there(programs: Path) -> None:
    packages(programs)
    program(
        programs,
        "dpkg-deb",
        "if '--show' in sys.argv: print('help', '1.2', sep='\\t', end='')\n"
        "else:\n"
        "    for language in ('en', 'de'):\n"
        "        page = pathlib.Path(sys.argv[-1], 'usr/help', language, 'page.html')\n"
        "        page.parent.mkdir(parents=True)\n"
        "        page.touch()",
    )
    Path("data/help").mkdir(parents=True)
    bring(settings(debian=["help"], inside="usr/help"), PATTERNS)
    assert manifest(settings(debian=["help"]), PATTERNS)["files"].tolist() == ["1", "1", ""]


def test_a_machine_without_packages_is_told_what_to_put_where(programs: Path) -> None:
    missing = r"missing: data/help/en/\*\*/\*\.html, data/help/de/\*\*/\*\.html"
    with pytest.raises(InputError, match=rf"^{missing} \(apt-get is not on this machine\); get the help$"):
        bring(DEBIAN, PATTERNS, "get the help")
    assert not list(Path("data").iterdir())


def test_a_package_that_does_not_exist_is_told(programs: Path) -> None:
    packages(programs, lacking="help-de")
    with pytest.raises(InputError, match=r"E: Unable to locate package help-de\); put them there, or name a folder"):
        bring(DEBIAN, PATTERNS)
    assert not list(Path("data").iterdir())


def test_a_wrong_folder_in_the_packages_is_told(programs: Path) -> None:
    packages(programs)
    with pytest.raises(InputError, match=r"help-en, help-de: no folder usr/share; correct data\.inside"):
        bring(settings(debian=["help-en", "help-de"], inside="usr/share"), PATTERNS)


def test_the_first_installation_that_has_every_file_is_copied(programs: Path) -> None:
    for root, languages in (("half", ["en"]), ("whole", ["en", "de"]), ("later", ["en", "de"])):
        for language in languages:
            page = Path(root, language, "text", "page.html")
            page.parent.mkdir(parents=True)
            page.write_text(root, encoding="utf-8")
            (page.parent / "other.css").touch()
    bring(settings(installed=["absent", "half", "whole/", "later"]), PATTERNS)
    found = sorted(str(path) for path in Path("data").rglob("*") if path.is_file())
    assert found == ["data/help/de/text/page.html", "data/help/en/text/page.html"]
    assert {Path(path).read_text(encoding="utf-8") for path in found} == {"whole"}


def test_mtdata_writes_into_the_folder(programs: Path) -> None:
    program(
        programs,
        "mtdata",
        "assert sys.argv[1:-1] == ['get-recipe', '-ri', 'x', '--out']\n"
        "for language in ('en', 'de'):\n"
        "    page = pathlib.Path(sys.argv[-1], language, 'page.html')\n"
        "    page.parent.mkdir(parents=True)\n"
        "    page.write_text(language)",
    )
    bring(settings(mtdata=["get-recipe", "-ri", "x"]), PATTERNS)
    assert manifest(settings(), PATTERNS)["files"].tolist() == ["1", "1"]


def test_a_download_with_another_digest_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "downloaded").write_text("text", encoding="utf-8")
    digest = subprocess.run(["sha256sum", tmp_path / "downloaded"], capture_output=True, text=True, check=True).stdout
    for sha256 in ("0" * 64, digest.split()[0]):
        options = ["--url", "http://x", "--downloaded", f"{tmp_path}/downloaded", "--sha256", sha256]
        monkeypatch.setattr(sys, "argv", ["keep_download", *options, "--output", f"{tmp_path}/kept"])
        if sha256 == "0" * 64:
            with pytest.raises(InputError, match=rf"http://x has the SHA-256 {digest.split()[0]}, not 0"):
                keep_download.main()
            assert not (tmp_path / "kept").exists()
        else:
            keep_download.main()
    assert (tmp_path / "kept").read_text(encoding="utf-8") == "text"


def test_names_of_languages_go_into_texts_lists_and_keys() -> None:
    names = {"source": "en-US", "target": "de"}
    value = {"{target}.txt": ["help-{source}", {"url": "http://x/{target}-{other}"}]}
    assert with_names(value, names) == {"de.txt": ["help-en-US", {"url": "http://x/de-{other}"}]}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (settings(), "brings no files"),
        (DataSettings(folder="other", debian=["x"]), r"folder: no split has a file in other"),
        (settings(urls={"../x": {}}), r"urls\.\.\./x is outside the folder"),
    ],
)
def test_settings_that_bring_nothing_are_refused(data: DataSettings, message: str) -> None:
    with pytest.raises(InputError, match=rf"corpora\.help\.data[. ]{message}"):
        check_data(data, PATTERNS, "corpora.help.data")
