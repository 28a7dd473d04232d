"""What runs again after a change, job by job, in the real DAG: what the change can reach, and nothing else."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from discourse_nmt.base.storage.tables import read_table
from tests.workflow.test_discourse_workflow import LETTERS, clone
from tests.workflow.test_workflow import NOTHING, snakemake

CONFIG = Path(__file__).parent / "configurations" / "reruns.yaml"
SPLITS = {"train": ["a", "b", "c"], "dev": ["d"]}  # a, b and d belong to the first shard, c to the second
FILLER = "x" * 1_100_000  # beyond the size up to which Snakemake compares files by content, unless told
TOKENS = [f"results/reruns/letters/text/tokens/{split}/{shard}.parquet" for split in SPLITS for shard in range(2)]
TREES = [path.replace("text/tokens", "discourse/builtin/source/rst_dependencies") for path in TOKENS]
ALL = ("score", "report")
SHOWN = ("split", "shard", "side", "experiment", "seed")


def write_letters(folder: Path, splits: dict[str, list[str]], letters: dict[str, list[str]] = LETTERS) -> None:
    for split, names in splits.items():
        lines = [f"{name}\t{text}\t{text.lower()}\t" for name in names for text in letters[name]]
        lines[0] += FILLER
        (folder / f"{split}.tsv").write_text("\n".join(["doc_id\tsource\ttarget\tnote", *lines, ""]), encoding="utf-8")


def jobs(text: str) -> set[str]:
    """Every job that Snakemake plans, or runs, as its rule and what tells it from others: ``tokenise train 0``."""
    found = set()
    for block in re.split(r"\n\n|\n(?=\[)", text):
        if header := re.search(r"^(?:local)?(?:rule|checkpoint) (\w+):$", block, re.MULTILINE):
            line = re.search(r"^    wildcards: (.+)$", block, re.MULTILINE)
            values = dict(entry.split("=") for entry in line[1].split(", ")) if line else {}
            shown = [values[key] for key in SHOWN if key in values and values[key] != "source"]
            found.add(" ".join([header[1], *shown]))
    return found - set(ALL)


def each(rule: str, *places: str) -> set[str]:
    return {f"{rule} {place}" for place in places}


ALL_SHARDS = ("train 0", "train 1", "dev 0", "dev 1")
AFTER_TRAINING = ("translate_split", "write_translations", "score_run", "score_document", "compare_translations")
RUN_OF_TREES = {"train_model trees 1", *(f"{rule} dev trees 1" for rule in AFTER_TRAINING), "collect_scores"}
RUN_OF_SENTENCE = {job.replace("trees", "sentence") for job in RUN_OF_TREES if "compare" not in job}
AFTER_UNITS = each("parse_rst", *ALL_SHARDS) | each("convert_rst", *ALL_SHARDS)
AFTER_UNITS |= each("build_structure", "train", "dev") | RUN_OF_TREES
AFTER_TOKENS = {"train_truecaser", "train_truecaser target", "learn_bpe", "learn_alignment"}
AFTER_TOKENS |= each("apply_bpe", *ALL_SHARDS)
AFTER_TOKENS |= each("build_dataset", "train", "dev") | RUN_OF_SENTENCE


class Project:
    """A checkout that a test may edit, and a working directory in which the run of ``reruns.yaml`` is complete."""

    def __init__(self, checkout: Path, folder: Path) -> None:
        self.checkout, self.folder = checkout, folder

    def plan(self, *targets: str, config: Path = CONFIG) -> set[str]:
        """The jobs that would run to make the scores, or other targets."""
        text = self._run("--dry-run", config=config, targets=targets or ("score",))
        assert (NOTHING in text) == (not jobs(text)), text
        return jobs(text)

    def run(self, *files: str) -> set[str]:
        """Really run what these files need; the jobs that ran."""
        return jobs(self._run(targets=files))

    def _run(self, *options: str, targets: tuple[str, ...], config: Path = CONFIG) -> str:
        arguments = ["--configfile", str(config), *options, "--", *targets]
        result = snakemake(self.folder, *arguments, checkout=self.checkout)
        assert result.returncode == 0, result.stdout
        return result.stdout

    def cloned(self, folder: Path) -> Path:
        """The checkout once more, somewhere else, its files as new as a fresh clone's."""
        ignored = shutil.ignore_patterns("__pycache__", ".snakemake")
        return shutil.copytree(self.checkout, folder / "clone", copy_function=shutil.copyfile, ignore=ignored)

    def copied(self, folder: Path) -> "Project":
        """The same checkout with a copy of the working directory."""
        return Project(self.checkout, shutil.copytree(self.folder, folder / "work"))

    @contextmanager
    def edited(self, *changes: tuple[str, str, str]) -> Iterator[None]:
        """Files (path, old text, new text) changed for a while; no old text appends the new one."""
        originals = {path: (self.checkout / path).read_text(encoding="utf-8") for path, _, _ in changes}
        try:
            for path, old, new in changes:
                assert old in originals[path]
                text = originals[path].replace(old, new, 1) if old else originals[path] + new
                (self.checkout / path).write_text(text, encoding="utf-8")
            yield
        finally:
            for path, original in originals.items():
                (self.checkout / path).write_text(original, encoding="utf-8")

    def why(self, config: Path = CONFIG) -> list[str]:
        """What ``make why`` says of the scores and the report."""
        environment = {**os.environ, "PYTHONPATH": str(self.checkout)}
        command = [sys.executable, "-m", "discourse_nmt", "why", "--configfile", str(config), "--", *ALL]
        result = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, check=True)
        return result.stdout.splitlines()

    def counts(self, rule: str, place: str) -> str:
        """What the log of an analysis of one shard says of its documents."""
        log = self.folder / f"results/reruns/logs/letters/{rule}/builtin/source/{place}.log"
        return next(line for line in log.read_text(encoding="utf-8").splitlines() if "reused" in line).split(": ")[1]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    made = Project(clone(tmp_path_factory.mktemp("checkout")), tmp_path_factory.mktemp("work"))
    write_letters(made.folder, SPLITS)
    assert len(made.run(*ALL)) > 40
    return made


def changed(folder: Path, change: Callable[[Any], None]) -> Path:
    """The configuration with a change."""
    config = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))
    change(config)
    path = folder / "changed.yaml"
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    return path


def test_touched_files_run_nothing(project: Project, tmp_path: Path) -> None:
    copy = project.copied(tmp_path)
    for path in [*copy.checkout.rglob("*"), *copy.folder.glob("*.tsv")]:
        if path.is_file():
            os.utime(path)
    assert copy.plan(*ALL) == set()


def test_a_fresh_clone_over_moved_results_runs_nothing(project: Project, tmp_path: Path) -> None:
    """Results without Snakemake's own records of them: times alone say that they are up to date."""
    folder = shutil.copytree(project.folder, tmp_path / "work", ignore=shutil.ignore_patterns(".snakemake"))
    assert Project(project.cloned(tmp_path), folder).plan(*ALL) == set()


def test_a_fresh_clone_over_copied_results_runs_no_stage(project: Project, tmp_path: Path) -> None:
    """Times say the opposite of what is true: what was made first was copied last.

    Only the report's page is put together again, which reads a folder: folders are compared by time.
    """
    fresh = Project(project.cloned(tmp_path), shutil.copytree(project.folder, tmp_path / "work"))
    files = sorted((path for path in fresh.folder.rglob("*") if path.is_file()), key=lambda path: path.stat().st_mtime)
    for seconds, path in enumerate(files):
        os.utime(path, times=(2e9 - seconds, 2e9 - seconds))
    assert fresh.plan(*ALL) == {"report_page"}


def test_comments_and_docstrings_run_nothing(project: Project) -> None:
    comment = "\n# another comment\n"
    with project.edited(
        ("Snakefile", "", comment),
        ("rules/discourse.smk", '"""Analysis of discourse', '"""Another docstring: analysis of discourse'),
        ("rules/text.smk", "\nrule tokenise:\n", "\n# another comment\nrule tokenise:\n"),
        ("discourse_nmt/workflow/reruns/fingerprint.py", "", comment),
        ("discourse_nmt/workflow_scripts/train/train.py", '"""', '"""Another docstring. '),
        (
            "discourse_nmt/workflow_scripts/discourse/analyse.py",
            '    """Parse the arguments',
            '    """Another docstring, parse the arguments',
        ),
        ("discourse_nmt/training/run/loop.py", "", comment),
        (
            "discourse_nmt/discourse/backends/builtin/edus.py",
            '    """Rows of the table',
            '    """Other rows of the table',
        ),
    ):
        assert project.plan(*ALL) == set()


def test_a_changed_parser_of_syntax_runs_what_depends_on_it(project: Project) -> None:
    with project.edited(("discourse_nmt/discourse/backends/builtin/syntax.py", "", "\nCHANGED = True\n")):
        assert project.plan() == each("analyse_syntax", *ALL_SHARDS) | each("segment_edus", *ALL_SHARDS) | AFTER_UNITS


def test_a_changed_segmenter_runs_what_depends_on_units(project: Project, tmp_path: Path) -> None:
    """It makes one unit of each sentence of one document; trees of the others are not parsed again."""
    starts = "[sentence.edu_starts for sentence in sentences]"
    whole = '[[not word or document.doc_id != "b" and start for word, start in enumerate(sentence.edu_starts)]'
    copy = project.copied(tmp_path)
    with copy.edited(
        ("discourse_nmt/discourse/backends/builtin/edus.py", starts, f"{whole} for sentence in sentences]")
    ):
        plan = copy.plan()
        assert plan == each("segment_edus", *ALL_SHARDS) | AFTER_UNITS
        train = [path for path in TREES if "/train/" in path]
        assert copy.run(*train) == {job for job in plan if re.fullmatch(r"(segment|parse|convert)\w+ train \d", job)}
    assert copy.counts("segment_edus", "train/0") == "reused 0, computed 2"
    assert copy.counts("parse_rst", "train/0") == "reused 1, computed 1"
    assert copy.counts("parse_rst", "train/1") == "reused 1, computed 0"
    path = "results/reruns/letters/discourse/builtin/source/edus/train/0.parquet"
    before, after = (
        read_table(folder / path, "edus").groupby("doc_id").size() for folder in (project.folder, copy.folder)
    )
    assert before["a"] == after["a"]
    assert before["b"] > after["b"] == len(LETTERS["b"])


def test_one_more_document_runs_one_shard(project: Project, tmp_path: Path) -> None:
    """Of the stages that work by document; those that read the whole training text are due as a matter of course."""
    copy = project.copied(tmp_path)
    write_letters(copy.folder, {"train": ["a", "f", "b", "c"]}, {**LETTERS, "f": ["Hello.", "I like it."]})
    stages = ("tokenise", "analyse_syntax", "segment_edus", "parse_rst", "convert_rst")
    assert copy.run(*TOKENS, *TREES) == {"import_corpus_letters", *(f"{stage} train 1" for stage in stages)}
    assert copy.counts("analyse_syntax", "train/1") == "reused 1, computed 1"
    after = AFTER_TOKENS | each("build_structure", "train", "dev") | RUN_OF_TREES
    assert copy.plan() == after | {"measure_corpus"}


def test_an_import_with_the_same_result_runs_nothing_else(project: Project, tmp_path: Path) -> None:
    copy = project.copied(tmp_path)
    with copy.edited(("discourse_nmt/workflow_scripts/corpus/import_corpus.py", "", "\nCHANGED = True\n")):
        assert copy.run("score") == {"import_corpus_letters"}
        assert copy.plan() == set()


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda config: config["experiments"]["trees"].update(training={"max_updates": 3}), RUN_OF_TREES),
        (
            lambda config: config["experiments"]["trees"].update(decoding={"beam": 2}),
            RUN_OF_TREES - {"train_model trees 1"},
        ),
        (
            lambda config: config["experiments"].update(another={"system": "concat", "compared_with": "sentence"}),
            {job.replace("trees", "another") for job in RUN_OF_TREES},
        ),
        (
            lambda config: config["experiments"]["trees"].update(seeds=[1, 7]),
            {job.replace("trees 1", "trees 7") for job in RUN_OF_TREES} | {"compare_translations_over_seeds dev trees"},
        ),
        (
            lambda config: config.update(document_metrics={"cxmi": ["without_context"]}),
            {"collect_scores"}
            | each("score_references dev", "trees 1", "sentence 1")
            | each("score_information dev", "trees 1", "sentence 1"),
        ),
        (lambda config: config["corpora"]["letters"].update(where="in a drawer"), set()),
    ],
    ids=[
        "training of one experiment",
        "decoding of one experiment",
        "one more system",
        "one more seed",
        "information that is taken from context",
        "a remark",
    ],
)
def test_changed_settings_run_what_depends_on_them(
    project: Project, tmp_path: Path, change: Callable[[Any], None], expected: set[str]
) -> None:
    assert project.plan(config=changed(tmp_path, change)) == expected


def test_why_says_that_nothing_would_run(project: Project) -> None:
    assert project.why() == ["Nothing would run."]


def test_why_tells_what_changed_and_what_follows(project: Project, tmp_path: Path) -> None:
    def change(config: Any) -> None:
        config["experiments"]["third"] = {"system": "concat"}

    with project.edited(("discourse_nmt/workflow_scripts/structures/build_structure.py", "", "\nCHANGED = True\n")):
        lines = project.why(changed(tmp_path, change))
    places = [f"(letters, dependencies, builtin, {split})" for split in ("dev", "train")]
    assert f"build_structure {', '.join(places)}: its code changed" in lines
    assert "train_model (letters, third, seed 1): not made yet" in lines
    [after] = [line for line in lines if line.startswith("After these")]
    assert "train_model 1" in after and "translate_split 1" in after
    assert re.match(r"Jobs: \d+ \(.*train_model 2", lines[-1])


def test_why_names_settings_and_inputs(project: Project, tmp_path: Path) -> None:
    def change(config: Any) -> None:
        config["corpora"]["letters"]["splits"]["dev"]["files"].append("more.tsv")

    more = project.folder / "more.tsv"
    more.write_text("doc_id\tsource\ttarget\nz\tYes.\tyes.\n", encoding="utf-8")
    try:
        lines = project.why(changed(tmp_path, change))
    finally:
        more.unlink()
    [imported] = [line for line in lines if line.startswith("import_corpus_letters:")]
    assert "new input more.tsv" in imported and "settings changed: splits.dev.files" in imported
    beam = changed(tmp_path, lambda config: config["experiments"]["trees"].update(decoding={"beam": 2}))
    assert "translate_split (letters, trees, dev, seed 1): settings changed: beam 1 -> 2" in project.why(beam)
