"""A report of a large made-up run: its size, and the time to make it. ``report_view`` then times it in a browser.

Words are drawn from a Zipf distribution; a system replaces one word in ten of the reference. The source has discourse
units, a right-branching tree and themes; each document has two contrastive items.
"""

import random
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from discourse_nmt.base.storage.files import write_text
from discourse_nmt.base.storage.tables import write_table
from discourse_nmt.discourse.structures.rows import tree_to_rows
from discourse_nmt.discourse.structures.trees import RstTree, join, leaf
from discourse_nmt.scoring.metrics.score import Score
from discourse_nmt.scoring.tables.scores import render, score_table
from discourse_nmt.workflow_scripts.command import arguments, run

SENTENCES, WORDS, ITEMS = 8, 14, 2
VOCABULARY = 20_000


def words(source: random.Random, number: int) -> list[str]:
    """Words whose ranks follow Zipf's law."""
    return [f"w{int(VOCABULARY ** source.random())}" for _ in range(number)]


def right_branching(units: int) -> RstTree:
    """Every unit elaborated by all that follow it."""
    tree = leaf()
    for _ in range(units - 1):
        tree = join([(leaf(), "nucleus", "span"), (tree, "satellite", "elaboration")])
    return tree


def write_run(folder: Path, documents: int, systems: int, seed: int) -> list[str]:
    """Write the tables of the run; the options of the report's command."""
    source = random.Random(seed)
    places = [(f"document-{number:05}", sentence) for number in range(documents) for sentence in range(SENTENCES)]
    texts = [[words(source, WORDS) for _ in places] for _ in ("source", "target")]
    frame = pd.DataFrame(places, columns=["doc_id", "sent_id"])
    joined = [[" ".join(sentence) for sentence in side] for side in texts]
    options: dict[str, list[str]] = {"--runs": [], "--languages": ["made_up=en/de"]}

    def write(table: pd.DataFrame, name: str, path: str) -> Path:
        write_table(table, folder / path, name)
        return folder / path

    sentences = write(frame.assign(source=joined[0], target=joined[1]), "sentences", "sentences.parquet")
    options["--sentences"] = [f"made_up/test={sentences}"]
    whole: dict[str, Any] = {"start": 0, "end": [len(text) for text in joined[0]]}
    tree = right_branching(SENTENCES)
    names = dict.fromkeys(frame["doc_id"])
    annotation = {
        "edus": frame.assign(edu_id=frame["sent_id"], **whole),
        "themes": frame.assign(**whole, label="theme-topical"),
        "rst": pd.DataFrame([row for name in names for row in tree_to_rows(name, tree)]),
    }
    options["--annotations"] = [
        f"made_up/test/gold/{name}={write(table, name, f'{name}.parquet')}" for name, table in annotation.items()
    ]
    items = pd.DataFrame(
        [(f"{name} {item}", name, item, "pronoun", 1, "wrong") for name in names for item in range(ITEMS)],
        columns=["item_id", "doc_id", "sent_id", "phenomenon", "distance", "wrong"],
    )
    options["--contrastive"] = [f"made_up/test={write(items, 'contrastive', 'items.parquet')}"]
    scores = []
    for number in range(systems):
        name, own = f"system_{number:02}", f"runs/system_{number:02}"
        translated = [
            [word if source.random() > 0.1 else f"w{source.randrange(VOCABULARY)}" for word in sentence]
            for sentence in texts[1]
        ]
        rows = frame.assign(
            rank=0, score=-1.0, hypothesis=[" ".join(text) for text in translated], tokens=pd.Series(translated)
        )
        write(rows, "translations", f"{own}/translations/test.parquet")
        scored = items[["item_id", "phenomenon", "distance"]].assign(
            right_score=-1.0, wrong_score=[-1.0 - source.random() + 0.4 for _ in range(len(items))]
        )
        write(scored, "contrastive_scores", f"{own}/contrastive/test.parquet")
        write_text("update,dev_loss,dev_bleu\n", folder / own / "metrics.csv")
        options["--runs"].append(f"made_up/{name}/1={folder / own}")
        found = [Score("s-BLEU", 70.0 + number, "made up")]
        scores.append(score_table(found, corpus="made_up", experiment=name, system="s", seed=1, test_set="test"))
    write_text(render(pd.concat(scores, ignore_index=True)), folder / "scores.tsv")
    options["--scores"] = [str(folder / "scores.tsv")]
    return [word for option, values in options.items() for word in (option, *values)]


def make(folder: Path, documents: int, systems: int, seed: int = 1) -> Path:
    """The report of a run in ``folder``; prints its size, and the time and memory of the command."""
    options = write_run(folder, documents, systems, seed)
    report = folder / "report.html"
    command: Sequence[str] = [sys.executable, "-m", "discourse_nmt.workflow_scripts.report.report", *options]
    began = time.monotonic()
    subprocess.run([*command, "--documents", str(documents), "--output", str(report)], check=True)
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(
        f"{report.stat().st_size / 1e6:.1f} MB, {time.monotonic() - began:.0f} s, "
        f"{spent.ru_utime + spent.ru_stime:.0f} CPU-seconds, {spent.ru_maxrss / 1e3:.0f} MB of memory"
    )
    return report


def main() -> None:
    """Make the run and its report."""
    parser = arguments(__doc__)
    parser.add_argument("--documents", type=int, default=5000, help="documents of the test set, all in the viewer")
    parser.add_argument("--systems", type=int, default=20, help="number of systems")
    parser.add_argument("--folder", type=Path, required=True, help="folder to write to")
    options = parser.parse_args()
    print(make(options.folder, options.documents, options.systems))


if __name__ == "__main__":
    run(main)
