"""The documentation is true where a machine can tell: links, anchors, paths, modules, options, targets, lengths."""

import argparse
import re
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from discourse_nmt import __version__
from discourse_nmt.command_line import parser
from discourse_nmt.workflow.reruns.fingerprint import module_path
from tests.conftest import ROOT

DOCS = ROOT / "docs"
WRITTEN = sorted(page for page in DOCS.rglob("*.md") if "_build" not in page.parts)
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *WRITTEN]
CARDS = [ROOT / "config" / "README.md", *sorted((ROOT / "resources").rglob("README.md"))]
MOST_WORDS, MOST_PAGES = 1800, 13
# The manual; its settings are generated. The notebook, docs/notebook, holds dated accounts of measurements.
MANUAL = [
    page
    for folder in ("how-to", "reference", "systems", "analysers", "rationale")
    for page in sorted((DOCS / folder).rglob("*.md"))
    if "settings" not in (page.stem, page.parent.name)
]
MOST_WORDS_OF_MANUAL, MOST_LINES_OF_README, MOST_ROWS_OF_README = 44_000, 60, 5

CODE = re.compile(r"^( *)```.*?^\1```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^]]*]\(([^)\s]+)\)")
COMMAND = re.compile(r"python -m ((?:discourse_nmt|benchmarks)[\w.]+)((?:[^\n`]|\\\n)*)")
SUBCOMMAND = re.compile(r"(?:^|`|\| )discourse-nmt ([a-z][a-z-]*)((?:[^\n`]|\\\n)*)", re.MULTILINE)
IMPORT = re.compile(r"^from (discourse_nmt[\w.]*) import ([\w, ]+)$", re.MULTILINE)
SCRIPT_IMPORT = re.compile(r"^from (discourse_nmt\.workflow_scripts[\w.]*) import", re.MULTILINE)
# Paths of the project begin with one of its folders; results and the reader's own files do not.
FOLDERS = [path.name for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith(".")]
PROJECT_PATH = re.compile(rf"`((?:{'|'.join(sorted(set(FOLDERS) - {'results', 'work'}))})/[^`\s]*)`")
PLACEHOLDER = re.compile(r"[<>{}$]|[A-Z]{3,}|\.\.\.")
# Results have folders of the same names as the project, text/ and corpus/ for example, but hold data.
DATA = {".parquet", ".tsv", ".csv", ".arrow", ".json", ".safetensors", ".svg", ".html"}
NAMED_PAGE = re.compile(r"(?<![\w./-])docs/[\w/-]+\.md")
NAMING = ["*.py", "*.smk", "*.yaml", "*.rst", "*.md", "Makefile", "Snakefile"]


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def without_code(page: Path) -> str:
    return CODE.sub("", page.read_text(encoding="utf-8"))


@cache
def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    slugs: list[str] = []
    for heading in re.findall(r"^#+ +(.+?) *$", without_code(page), re.MULTILINE):
        text = LINK.sub(lambda link: link[0][1 : link[0].index("]")], heading).lower()
        slug = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
        repeats = sum(re.fullmatch(rf"{re.escape(slug)}(-\d+)?", earlier) is not None for earlier in slugs)
        slugs.append(f"{slug}-{repeats}" if repeats else slug)
    return set(slugs)


def linked(page: Path) -> dict[str, Path]:
    """The relative links of a page, with the file that each names."""
    targets = [target for target in LINK.findall(without_code(page)) if not re.match(r"[a-z]+:", target)]
    return {
        target: (page.parent / path).resolve() if (path := target.partition("#")[0]) else page for target in targets
    }


@pytest.mark.parametrize("page", [*PAGES, *CARDS], ids=name_of)
def test_links_and_anchors_resolve(page: Path) -> None:
    broken = []
    for target, path in linked(page).items():
        anchor = target.partition("#")[2]
        if not path.exists() or (anchor and anchor not in anchors(path)):
            broken.append(target)
    assert broken == []


def test_index_leads_to_every_page() -> None:
    """The site refuses a page outside its navigation: links of the index, and folders that have the name of a page."""
    in_folders = {page for page in WRITTEN if page.parent.with_suffix(".md") in WRITTEN}
    assert sorted({*WRITTEN} - in_folders - {DOCS / "index.md"} - {*linked(DOCS / "index.md").values()}) == []


@pytest.mark.parametrize("page", [*PAGES, *CARDS], ids=name_of)
def test_no_merge_is_unfinished(page: Path) -> None:
    assert re.findall(r"^(?:<{7}|={7}|>{7})(?: .*)?$", page.read_text(encoding="utf-8"), re.MULTILINE) == []


@pytest.mark.parametrize("page", [*PAGES, *CARDS], ids=name_of)
def test_headings_go_down_by_one_level(page: Path) -> None:
    """The site of the documentation refuses a page that leaves a level out."""
    levels = [len(marks) for marks in re.findall(r"^(#+) ", without_code(page), re.MULTILINE)]
    assert levels[0] == 1
    assert all(below <= above + 1 for above, below in pairwise(levels))


@pytest.mark.parametrize("page", [*PAGES, *CARDS], ids=name_of)
def test_commands_exist_with_their_options(page: Path) -> None:
    wrong = []
    for module, arguments in COMMAND.findall(page.read_text(encoding="utf-8")):
        if re.search(r"\.[A-Z]+(\.|$)", module):  # a placeholder, such as STAGE.NAME
            continue
        is_project = module.startswith("discourse_nmt.")
        path = module_path(module) if is_project else ROOT / f"{module.replace('.', '/')}.py"
        if path is None or not path.is_file():
            wrong.append(module)
        elif module.startswith("discourse_nmt.workflow_scripts."):
            imported = re.findall(
                r"^from (discourse_nmt\.workflow_scripts[\w.]*) import", path.read_text("utf-8"), re.MULTILINE
            )
            helpers = [found for name in imported if (found := module_path(name))]
            text = "".join(source.read_text(encoding="utf-8") for source in [path, *helpers])
            options = re.findall(r"(?<=\s)(--[a-z][\w-]*)", arguments)
            wrong += [f"{module} {option}" for option in options if option != "--help" and f'"{option}"' not in text]
    assert wrong == []


@pytest.mark.parametrize("page", [*PAGES, *CARDS], ids=name_of)
def test_subcommands_exist_with_their_options(page: Path) -> None:
    [places] = [action for action in parser()._actions if isinstance(action, argparse._SubParsersAction)]
    wrong = []
    for name, arguments in SUBCOMMAND.findall(page.read_text(encoding="utf-8")):
        known = places.choices[name]._option_string_actions if name in places.choices else {}
        options = re.findall(r"(?<=\s)(--[a-z][\w-]*)", arguments.partition(" | ")[0])
        wrong += [f"{name} {option}" for option in ["--help", *options] if option not in known]
    assert wrong == []


@pytest.mark.parametrize("page", [*PAGES, *CARDS], ids=name_of)
def test_names_that_examples_import_exist(page: Path) -> None:
    missing = []
    for module, names in IMPORT.findall(page.read_text(encoding="utf-8")):
        path = module_path(module)
        code = path.read_text(encoding="utf-8") if path else ""
        missing += [f"{module}.{name}" for name in names.split(", ") if not re.search(rf"\b{name}\b", code)]
    assert missing == []


@pytest.mark.parametrize("page", [*PAGES, *CARDS], ids=name_of)
def test_paths_of_the_project_exist(page: Path) -> None:
    paths = [path for path in PROJECT_PATH.findall(page.read_text(encoding="utf-8")) if not PLACEHOLDER.search(path)]
    paths = [path for path in paths if path.startswith("resources/") or Path(path).suffix not in DATA]
    assert [path for path in paths if not list(ROOT.glob(path.rstrip("/")))] == []


def test_targets_of_make_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = {
        (name_of(page), target)
        for page in PAGES
        for target in re.findall(r"(?:`|^)make ([a-z-]+)", page.read_text("utf-8"), re.MULTILINE)
    }
    assert {target for _, target in named} >= {"demo", "test", "matrix"}
    assert {(page, target) for page, target in named if target not in targets} == set()


def test_the_version_is_the_same_everywhere() -> None:
    assert re.findall(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text("utf-8"), re.MULTILINE) == [__version__]
    assert re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)[0] == __version__


def test_pages_that_code_and_configuration_name_exist() -> None:
    """Messages send their readers to pages; a page that moves must be followed."""
    missing = set()
    named = 0
    for folder in [ROOT, *(ROOT / name for name in FOLDERS if name not in {"results", "work"})]:
        for pattern in NAMING:
            for path in folder.glob(pattern) if folder == ROOT else folder.rglob(pattern):
                pages = NAMED_PAGE.findall(path.read_text(encoding="utf-8"))
                named += len(pages)
                missing |= {(name_of(path), page) for page in pages if not (ROOT / page).is_file()}
    assert named > 20
    assert missing == set()


def test_every_target_of_the_snakefile_is_described() -> None:
    targets = set(re.findall(r"^rule (\w+):", (ROOT / "Snakefile").read_text(encoding="utf-8"), re.MULTILINE)) - {"all"}
    described = (DOCS / "reference" / "targets.md").read_text(encoding="utf-8")
    assert {target for target in targets if f"`{target}`" not in described} == set()


def test_every_page_is_linked_from_another_one() -> None:
    targets = {path for page in PAGES for path in linked(page).values() if path != page}
    assert [name_of(page) for page in PAGES if page.parent != ROOT and page not in targets] == []


# settings.md is generated: as long as there are keys.
@pytest.mark.parametrize("page", sorted({*PAGES} - {DOCS / "reference" / "settings.md"}), ids=name_of)
def test_a_page_is_short(page: Path) -> None:
    words = len(re.findall(r"\S*\w\S*", page.read_text(encoding="utf-8")))
    assert words <= MOST_WORDS, f"{words} words: divide the page or say it shorter"


def test_the_manual_is_short() -> None:
    words = sum(len(page.read_text(encoding="utf-8").split()) for page in MANUAL)
    assert words <= MOST_WORDS_OF_MANUAL, f"{words} words: say it shorter; measurements are for docs/notebook"


def test_measurements_are_dated_in_the_notebook_alone() -> None:
    dated = {name_of(page): re.findall(r"commits? [0-9a-f]{7}\b", page.read_text(encoding="utf-8")) for page in MANUAL}
    assert {page: found for page, found in dated.items() if found} == {}


def test_the_readme_is_one_screen() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    tables = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
    assert len(text.splitlines()) <= MOST_LINES_OF_README
    assert max(len(table.splitlines()) - 2 for table in tables) <= MOST_ROWS_OF_README
    assert re.findall(r"```sh\n(\S+ \S+ \S+ \S+)", text) == ["git clone --depth 1"]


@pytest.mark.parametrize(
    "page",
    [page for page in sorted((DOCS / "systems").glob("*.md")) if page.stem not in ("overview", "common-training")],
    ids=name_of,
)
def test_a_system_s_page_tells_what_its_paper_does_not_and_what_it_published(page: Path) -> None:
    headings = re.findall(r"^## (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert any(re.match("Where the papers? (is|are) silent", heading) for heading in headings)
    assert "Published results" in headings


def test_a_folder_has_few_pages() -> None:
    sizes = {folder: len(list(folder.glob("*.md"))) for folder in {page.parent for page in PAGES}}
    assert {name_of(folder): size for folder, size in sizes.items() if size > MOST_PAGES} == {}
