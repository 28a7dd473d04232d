"""Builds the examples of the documentation's site, a report and analyses of texts: ``make docs``.

``python -m docs.examples.build FOLDER`` writes ``report.html``, ``english/`` and ``german/``, which need no network.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from discourse_nmt import ROOT

# Texts under CC0; the German one is a page of the help of LibreOffice, under MPL-2.0.
ANALYSES = {
    "english": ("en", ["resources/documents/news_harbour_bridge.txt", "resources/documents/talk_maps_in_head.txt"]),
    "german": ("de", ["resources/help_models/form_design_german.txt"]),
}
RUNS = ("demo", "demo_short")  # the better translations first
SMALL = ROOT / "docs" / "examples" / "report.yaml"


def build(folder: Path, results: Path, work: Path) -> None:
    """Write all examples to ``folder``, which is emptied; ``results`` are those of the workflow.

    ``work`` is for the small run that is made where there is no report of a demo.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copyfile(report(results) or small_report(work), folder / "report.html")
    for name, (language, texts) in ANALYSES.items():
        _run(["discourse_nmt", "analyse", *texts, "--language", language, "--output", str(folder / name)])
    for seal in folder.rglob(".*.sha256"):
        seal.unlink()


def report(results: Path) -> Path | None:
    """The report of a demo; None if none has run."""
    return next((path for name in RUNS if (path := results / name / "report.html").is_file()), None)


def small_report(work: Path) -> Path:
    """The report of a run of a minute in ``work``."""
    cores = str(os.cpu_count() or 1)
    place = ["--snakefile", str(ROOT / "Snakefile"), "--directory", str(work), "--configfile", str(SMALL)]
    _run(["snakemake", *place, "--cores", cores, "--quiet", "all", "--", "report"])
    return work / "results" / "example" / "report.html"


def _run(words: list[str]) -> None:
    subprocess.run([sys.executable, "-m", *words], cwd=ROOT, check=True)


if __name__ == "__main__":
    build(Path(sys.argv[1]).resolve(), ROOT / "results", ROOT / "docs" / "_build" / "run")
