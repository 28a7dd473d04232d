"""The second picture: the way of one sentence of a test set from text to score.

Each card is a file of the demo with the rule that writes it, or a step in the memory of the program that translates,
and the function that does the work, in the words of its docstring. Rules, programs and inputs are read from a dry run.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from discourse_nmt import PACKAGE
from discourse_nmt.discourse.backends.registry import STAGES, module_of
from discourse_nmt.training.kinds import STRUCTURES, TASKS
from discourse_nmt.workflow.reruns.fingerprint import module_path, reachable_modules
from docs.drawings.svg import Point, picture, rectangle, straight, text, wrapped
from docs.drawings.workflow import RESULTS, Job, writer

ROLE = re.compile(r":\w+:`([^`]*)`")
DEFINITIONS = (ast.FunctionDef, ast.ClassDef)
WIDTH, HEIGHT = 440.0, 106.0  # of a card
GAP, STOREY, MARGIN = 56.0, 142.0, 30.0  # between two columns, from row to row, around all
LETTERS = 64  # of a docstring that fit into a line of a card
# Modules that programs load by name.
NAMED = {STRUCTURES["dependencies"].builder.split(":")[0], TASKS["instance"]}
NAMED |= {module_of(stage, "builtin") for stage in STAGES}
RUN = "demo/experiments/mix/seed1"
ANALYSIS = "demo/discourse/builtin/source"
TRANSLATIONS = f"{RUN}/translations/test.parquet"


@dataclass(frozen=True)
class Step:
    """A card: its title, its file, the function that does the work, and the titles of the cards that lead to it.

    A step without a file happens in the memory of the job that writes the translations.
    """

    title: str
    file: str
    function: str
    column: int
    row: int
    after: tuple[str, ...] = ()

    @property
    def job(self) -> Job:
        """The job that does the step."""
        return writer(self.file or TRANSLATIONS)

    @property
    def corner(self) -> Point:
        """Upper left."""
        return Point(MARGIN + self.column * (WIDTH + GAP), MARGIN + self.row * STOREY)


STEPS = [
    Step("text", "generated/test.tsv", "demo.generation:sentences", 0, 0),
    Step("sentences", "demo/corpus/test/0.parquet", "corpus.importing.importing:import_corpus", 0, 1, ("text",)),
    Step("tokens", "demo/text/tokens/test/0.parquet", "text.stages:tokenise", 0, 2, ("sentences",)),
    Step("subwords", "demo/text/subwords/test/0.parquet", "text.stages:apply_subwords", 0, 3, ("tokens",)),
    Step("dataset", "demo/dataset/test.arrow", "training.data.dataset_tables:write_dataset", 0, 4, ("subwords",)),
    Step(
        "syntax",
        f"{ANALYSIS}/syntax/test/0.parquet",
        "discourse.backends.builtin.syntax:BuiltinSyntax.analyse",
        1,
        2,
        ("sentences",),
    ),
    Step(
        "units",
        f"{ANALYSIS}/edus/test/0.parquet",
        "discourse.backends.builtin.edus:BuiltinEdus.analyse",
        1,
        3,
        ("syntax",),
    ),
    Step(
        "trees",
        f"{ANALYSIS}/instance_dependencies/test/0.parquet",
        "discourse.backends.trees:dependencies_table",
        1,
        4,
        ("units", "dataset"),
    ),
    Step(
        "structure file",
        "demo/structure/dependencies/builtin/test.arrow",
        STRUCTURES["dependencies"].builder.removeprefix(f"{PACKAGE.name}."),
        1,
        5,
        ("trees",),
    ),
    Step("batch", "", "models.core.inference:batches", 0, 6, ("dataset", "structure file")),
    Step("trained model", f"{RUN}/model.safetensors", "training.run.run:train", 1, 7),
    Step("model", "", "models.packed.decoding.waves:decode_in_waves", 0, 7, ("batch", "trained model")),
    Step("translations", TRANSLATIONS, "text.postprocessing:Postprocessor.line", 0, 8, ("model",)),
    Step(
        "scores of a test set",
        f"{RUN}/scores/test.tsv",
        "scoring.metrics.translation:translation_scores",
        1,
        8,
        ("translations",),
    ),
    Step("scores of all", "scores.tsv", "scoring.tables.scores:collect", 1, 9, ("scores of a test set",)),
    Step("report", "report.html", "scoring.reports.page:page", 0, 9, ("scores of all",)),
]
STEP = {step.title: step for step in STEPS}


def docstring(function: str) -> str:
    """The first statement of the docstring of ``module:symbol``; KeyError if the module has no such symbol."""
    module, _, symbol = function.partition(":")
    path = module_path(f"{PACKAGE.name}.{module}")
    assert path is not None, function
    node: ast.AST = ast.parse(path.read_text(encoding="utf-8"))
    for name in symbol.split("."):
        node = {part.name: part for part in ast.iter_child_nodes(node) if isinstance(part, DEFINITIONS)}[name]
    assert isinstance(node, DEFINITIONS)
    [line, *_] = (ast.get_docstring(node) or "").split("\n")
    return ROLE.sub(r"\1", line).partition(";")[0].rstrip(".") + "."


def faults() -> Iterator[str]:
    """Where the steps do not hold: an arrow from a file that is no input, a function that the program never reaches."""
    for step in STEPS:
        for title in step.after:
            before = STEP[title]
            if step.job != before.job and before.file not in step.job.inputs:
                yield f"{before.file} is no input of {step.job.rule}"
        module = f"{PACKAGE.name}.{step.function.split(':')[0]}"
        if module not in reachable_modules({step.job.program, *NAMED}):
            yield f"{step.job.program} does not reach {module}"


def way_picture() -> str:
    """The file of the picture; :class:`ValueError` if it would not be true."""
    if found := list(faults()):
        raise ValueError("; ".join(found))
    width = 2 * (MARGIN + WIDTH) + GAP
    height = max(step.corner.y for step in STEPS) + HEIGHT + MARGIN + 30
    parts = [*_frame(), *(arrow(STEP[title], step) for step in STEPS for title in step.after)]
    parts += [part for step in STEPS for part in _card(step)]
    note = f"Files lie below {RESULTS}. Arrows: inputs; others, such as vocabularies, are left out."
    parts.append(text(Point(width / 2, height - 18), note, "small", "middle"))
    words = "; ".join(f"{step.title}: {step.function}" for step in STEPS)
    return picture("One sentence's way from text to score", words, width, height, parts)


def _frame() -> Iterator[str]:
    steps = [step for step in STEPS if not step.file]
    top, job = steps[0].corner, steps[0].job
    height = steps[-1].corner.y + HEIGHT - top.y
    yield rectangle(Point(top.x - 14, top.y - 14), WIDTH + 28, height + 28, "frame")
    yield text(Point(top.x + WIDTH + 24, top.y + 8), f"one process, rule {job.rule}:", "rule")
    yield text(Point(top.x + WIDTH + 24, top.y + 24), job.program, "code")


def arrow(start: Step, end: Step) -> str:
    """From the side of a card to the next column, or from its lower edge down."""
    (left, top), (x, y) = (start.corner.x, start.corner.y), (end.corner.x, end.corner.y)
    if start.row == end.row:
        forward = start.column < end.column
        middle = top + HEIGHT / 2
        return straight(Point(left + WIDTH * forward, middle), Point(x + WIDTH * (not forward), middle))
    shift = WIDTH / 4 * (end.column - start.column)
    return straight(Point(left + WIDTH / 2 + shift, top + HEIGHT), Point(x + WIDTH / 2 - shift, y))


def _card(step: Step) -> Iterator[str]:
    left, top = step.corner.x, step.corner.y
    yield rectangle(step.corner, WIDTH, HEIGHT, "box")
    yield text(Point(left + 12, top + 22), step.title, "name")
    if step.file:
        yield text(Point(left + WIDTH - 12, top + 22), f"rule {step.job.rule}", "rule", "end")
    yield text(Point(left + 12, top + 41), step.file or "in memory", "code")
    yield text(Point(left + 12, top + 59), step.function.replace(":", "."), "code small")
    for number, line in enumerate(wrapped(docstring(step.function), LETTERS)):
        yield text(Point(left + 12, top + 79 + 15 * number), line)
