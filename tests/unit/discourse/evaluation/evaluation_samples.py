"""A treebank of two documents in all layers, for the tests of evaluation."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from discourse_nmt.base.storage.tables import write_table
from discourse_nmt.discourse.formats.conllu import ConlluRow, Sentence, write_conllu
from discourse_nmt.discourse.formats.rs3 import write_rs3
from discourse_nmt.discourse.formats.rs3_trees import graph_of_tree
from discourse_nmt.discourse.structures.trees import NUCLEUS, SATELLITE, SPAN, join, leaf

NAMES = ("GUM_news_rain", "GENTLE_poetry_sun")
WORDS = (("Rain", "came", "."), ("They", "left", ",", "because", "it", "was", "cold", "."))
HEADS = ((2, 0, 2), (2, 0, 2, 7, 7, 7, 2, 2))


def sentences(name: str) -> list[Sentence]:
    made = []
    for number, (forms, heads) in enumerate(zip(WORDS, HEADS)):
        comments = (f"# newdoc id = {name}",) if number == 0 else ()
        rows = [
            ConlluRow(str(word), form, form.lower(), "X", "XX", "_", str(head), "dep" if head else "root")
            for word, (form, head) in enumerate(zip(forms, heads), start=1)
        ]
        made.append(Sentence((*comments, f"# sent_id = {name}-{number + 1}"), tuple(rows)))
    return made


def rs4() -> str:
    reason = (leaf("because it was cold ."), SATELLITE, "causal-cause")
    parts = join([(leaf("They left ,"), NUCLEUS, SPAN), reason])
    tree = join([(leaf("Rain came ."), SATELLITE, "context-circumstance"), (parts, NUCLEUS, SPAN)])
    return write_rs3(graph_of_tree(tree))


def conll(name: str) -> str:
    cells = ["(abstract-1)", "_", "_", "(person-2)", "_", "_", "_", "(abstract-1)", "_", "(event-3", "event-3)"]
    words = [word for forms in WORDS for word in forms]
    lines = [f"{number}\t{word}\t{cell}" for number, (word, cell) in enumerate(zip(words, cells))]
    return "\n".join([f"# begin document {name}", *lines, "# end document", ""])


def write_treebank(folder: Path, changes: Mapping[str, str | None] | None = None) -> Path:
    """All layers below ``folder``; ``changes`` replaces the content of files (``rs4/NAME.rs4``), None removes them."""
    files: dict[str, str | None] = {}
    for name in NAMES:
        files[f"conllu/{name}.conllu"] = write_conllu(sentences(name))
        files[f"rs4/{name}.rs4"] = rs4()
        files[f"coref_conll/{name}.conll"] = conll(name)
    for name, content in (files | dict(changes or {})).items():
        if content is not None:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(content, encoding="utf-8", newline="")
    return folder


def write_themes(folder: Path) -> None:
    """Labels of the first document: *Rain* and *They* are themes, *came .* and *left ,* rhemes."""
    spans = [(0, 0, 4, "theme-topical"), (0, 5, 11, "rheme"), (1, 0, 4, "theme-topical"), (1, 5, 11, "rheme")]
    rows = [(NAMES[0], *span) for span in spans]
    frame = pd.DataFrame(rows, columns=["doc_id", "sent_id", "start", "end", "label"])
    write_table(frame, folder / "themes" / "gold.parquet", "themes")
