"""The presets of the study, planned on a few stand-in pages that need no download."""

from pathlib import Path

import pytest
import yaml

from benchmarks.workflow.dry_run import jobs
from tests.conftest import ROOT
from tests.workflow.test_workflow import planned, snakemake

PRESETS = {path.stem: path for path in sorted((ROOT / "config").glob("study_help_*.yaml"))}
STORIES = ROOT / "config" / "study_stories_ende.yaml"
ADAPTED = ROOT / "config" / "study_stories_adapted_ende.yaml"
PAGE = '<html><body><div id="DisplayArea"><h1 id="hd_1">{0}</h1><p id="par_2">{0} {0}</p></div></body></html>'
LANGUAGES = {"en-US": "Page", "de": "Seite", "zh-CN": "页", "fr": "Page en français"}


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """A working directory with the help of four languages, two pages each."""
    for language, word in LANGUAGES.items():
        for page in ("swriter/a", "sdatabase/b"):
            file = tmp_path / "data" / "libreoffice-help" / language / "text" / f"{page}.html"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(PAGE.format(word), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("preset", PRESETS)
def test_a_study_is_planned_to_the_report(preset: str, pages: Path) -> None:
    result = snakemake(pages, "--dry-run", "--configfile", str(PRESETS[preset]), "--", "score", "report")
    assert result.returncode == 0, result.stdout
    assert {"train_model", "translate_split", "compare_translations_over_seeds", "report_page"} <= planned(
        result.stdout
    )


@pytest.mark.parametrize("target", ["de", "es", "ru"])
def test_stories_are_planned_to_the_report(target: str, tmp_path: Path) -> None:
    """For all pairs by the languages alone, with nothing downloaded yet."""
    text = STORIES.read_text(encoding="utf-8").replace("target_language: de", f"target_language: {target}")
    (tmp_path / "stories.yaml").write_text(text, encoding="utf-8")
    result = snakemake(tmp_path, "--dry-run", "--configfile", "stories.yaml", "--", "data", "corpus", "score", "report")
    assert result.returncode == 0, result.stdout
    brought = {f"fetch_data_{name}" for name, corpus in yaml.safe_load(text)["corpora"].items() if "data" in corpus}
    rules = {"import_corpus_together", "import_suite_together_address", "measure_address_rules", "train_model"}
    assert brought | rules | {"compare_translations_over_seeds", "report_page"} <= planned(result.stdout)


def test_stories_are_planned_from_the_shipped_models(tmp_path: Path) -> None:
    (tmp_path / "resources").symlink_to(ROOT / "resources")
    result = snakemake(tmp_path, "--dry-run", "--configfile", str(ADAPTED), "--", "data", "corpus", "score", "report")
    assert result.returncode == 0, result.stdout
    counts = jobs(result.stdout)
    assert counts["take_from_folder"] == 3 and counts["train_model"] == 6
    assert {"import_suite_together_address", "compare_accuracy_over_seeds", "report_page"} <= planned(result.stdout)


def test_another_pair_needs_its_two_codes_only(pages: Path) -> None:
    text = PRESETS["study_help_ende"].read_text(encoding="utf-8").replace("target_language: de", "target_language: fr")
    (pages / "french.yaml").write_text(text, encoding="utf-8")
    result = snakemake(pages, "--dry-run", "--configfile", "french.yaml", "--", "score", "report")
    assert result.returncode == 0, result.stdout


def test_the_study_continues_from_the_shipped_sentence_models(pages: Path) -> None:
    taken = f'experiments={{sentence: {{taken_from: "{ROOT}/resources/help_models/en-de/seed{{seed}}"}}}}'
    preset = str(PRESETS["study_help_ende"])
    trained = jobs(snakemake(pages, "--dry-run", "--configfile", preset, "--", "score").stdout)
    continued = jobs(snakemake(pages, "--dry-run", "--configfile", preset, "--config", taken, "--", "score").stdout)
    assert continued["take_from_folder"] == 3
    assert continued["train_model"] == trained["train_model"] - 3 > 0
    assert continued["translate_split"] == trained["translate_split"]
