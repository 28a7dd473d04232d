"""A small run as the report's command finds it: tables of documents whose texts a test chooses."""

import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from discourse_nmt.base.storage.tables import write_table
from discourse_nmt.discourse.structures.conversions import li14
from discourse_nmt.discourse.structures.rows import Row, dependencies_to_rows, tree_to_rows
from discourse_nmt.scoring.comparison.comparison import Comparison
from discourse_nmt.scoring.metrics.score import ALL_ITEMS, RANDOMISATION, ItemSubset, Score, item_score
from discourse_nmt.scoring.tables.scores import render, score_table
from discourse_nmt.text.writing_systems import spaces
from tests.unit.discourse.structures.discourse_examples import random_tree

HOSTILE = [
    "<script>document.title = 'hacked'</script> is a text",
    "</script><script>document.title = 'hacked'</script>",
    "<img src=x onerror=\"document.title='hacked'\"> <svg onload=alert(1)>",
    "]]></title></style><!-- <![CDATA[ &lt;b&gt; &amp; \"quotes' and `ticks`",
    "javascript:alert(1) {{ 7 * 7 }} {% raw %} ${1 + 1}",
    "right to left \u202e override \u2066 isolate, not ended",
    "control \x00 \x01 \x1b[31m \x7f characters, \u2028 and \u2029",
    "W" * 3000 + " is a very long word",
]
SCRIPTS = [
    "我们去公园散步。他们在家里看书。",
    "مرحبا بالعالم من أصدقائنا",
    "नमस्ते दुनिया यह एक वाक्य है",
    "שלום עולם יקר שלי",
    "私は学生です。彼女は先生です。",
    "Ein 👩‍👩‍👧 Zeichen außerhalb 𝔊 der Ebene",
]
SYSTEMS = ["sentence", "concat", "trees"]
SUBSETS = [ALL_ITEMS, ItemSubset("phenomenon", "pronoun"), ItemSubset("distance", "1"), ItemSubset("distance", "2")]
ONLINE = "online"  # a system from outside, whose translations are those of concat


def words(text: str) -> list[tuple[int, int]]:
    """The characters of each word, which is what blanks are around."""
    return [match.span() for match in re.finditer(r"\S+", text)]


def annotation_rows(document: str, texts: Sequence[str]) -> dict[str, list[Row]]:
    """An EDU for each sentence, a random tree, two chains of which one nests in the other, themes and a graph."""
    tree = random_tree(random.Random(len(texts)), len(texts))
    rows: dict[str, list[Row]] = {
        "edus": [],
        "rst": tree_to_rows(document, tree),
        "rst_dependencies": dependencies_to_rows(document, li14(tree)),
        "coreference": [],
        "themes": [],
        "document_graph": [],
    }
    for sentence, text in enumerate(texts):
        first, *others = words(text)
        last = others[-1] if others else first
        place = {"doc_id": document, "sent_id": sentence}
        rows["edus"].append({**place, "edu_id": sentence, "start": 0, "end": len(text)})
        for chain, (start, end) in enumerate([first, (first[0], last[1])]):
            mention = {**place, "chain_id": chain, "start": start, "end": end}
            rows["coreference"].append({**mention, "head_start": first[0], "head_end": first[1]})
        rows["themes"].append({**place, "start": first[0], "end": first[1], "label": "theme-topical"})
        if others:
            rows["themes"].append({**place, "start": others[0][0], "end": last[1], "label": "rheme"})
        edges = [("adjacency", sentence, word, sentence, word + 1) for word in range(len(others))]
        edges += [("coreference", sentence - 1, 0, sentence, 0)] if sentence else []
        for edge in edges:
            names = ("relation", "from_sent", "from_token", "to_sent", "to_token")
            rows["document_graph"].append({"doc_id": document, **dict(zip(names, edge))})
    return rows


def write_run(folder: Path, documents: dict[str, Sequence[str]]) -> list[str]:
    """Write the tables of a run of three systems, the texts their own reference; options of the command."""
    demo = folder / "demo"
    sentences, tokens, items = [], [], []
    annotation: dict[str, list[Row]] = {}
    for document, texts in documents.items():
        for sentence, text in enumerate(texts):
            place = {"doc_id": document, "sent_id": sentence}
            spans = words(text)
            sentences.append({**place, "source": text, "target": text})
            starts, ends = [start for start, _ in spans], [end for _, end in spans]
            forms = [text[start:end] for start, end in spans]
            tokens.append(
                {**place, "side": "source", "tokens": forms, "starts": starts, "ends": ends, "gaps": spaces(forms)}
            )
        item = {"item_id": f"{document} item", "doc_id": document, "sent_id": 0, "phenomenon": "pronoun"}
        items.append({**item, "distance": 1, "wrong": f"{texts[0]} wrong"})
        for table, rows in annotation_rows(document, texts).items():
            annotation.setdefault(table, []).extend(rows)
    frame = pd.DataFrame(sentences)
    written = {
        "--sentences": [f"demo/test={write(frame, demo / 'corpus/test/0.parquet', 'sentences')}"],
        "--tokens": [f"demo/test={write(pd.DataFrame(tokens), demo / 'text/tokens/test/0.parquet', 'tokens')}"],
        "--annotations": [
            f"demo/test/gold/{table}="
            + write(pd.DataFrame(rows), demo / f"discourse/gold/source/{table}/test/0.parquet", table)
            for table, rows in annotation.items()
        ],
        "--contrastive": [f"demo/test={write(pd.DataFrame(items), folder / 'items.parquet', 'contrastive')}"],
        "--runs": [],
    }
    edus = pd.DataFrame(annotation["edus"])
    other = demo / "discourse/other/source/themes/test/0.parquet"
    written["--annotations"].append(f"demo/test/other/themes={write(edus.assign(label='rheme'), other, 'themes')}")
    for number, system in enumerate(SYSTEMS):
        run = demo / "experiments" / system / "seed1"
        translated = frame[["doc_id", "sent_id"]].assign(rank=0, score=-1.0)
        translated["hypothesis"] = [altered(text, number) for text in frame["target"]]
        translated["tokens"] = translated["hypothesis"].str.split()
        write(translated, run / "translations/test.parquet", "translations")
        scored = pd.DataFrame(items)[["item_id", "phenomenon", "distance"]].assign(
            right_score=-1.0, wrong_score=[-2.0, -1.0, -0.5][number]
        )
        write(scored, run / "contrastive/test.parquet", "contrastive_scores")
        (run / "metrics.csv").write_text("update,dev_loss,dev_bleu\n10,4,\n20,3,12.5\n", encoding="utf-8")
        job = folder / f"benchmarks/demo/train/{system}/seed1.tsv"
        job.parent.mkdir(parents=True)
        job.write_text(f"s\tcpu_time\tmax_rss\n{60 * (number + 1)}\t50\t900\n", encoding="utf-8")
        written["--runs"].append(f"demo/{system}/1={run}")
    outside = demo / "experiments" / ONLINE / "seed0"
    write(
        translated.assign(hypothesis=[altered(text, 1) for text in frame["target"]]),
        outside / "translations/test.parquet",
        "translations",
    )
    aligned = {"doc_id": frame["doc_id"].iloc[0], "omitted": [1], "added": ["And more."], "places": [0]}
    write(pd.DataFrame([aligned]), outside / "output_alignment/test.parquet", "output_alignment")
    written["--external"] = [f"demo/{ONLINE}/0={outside}"]
    (folder / "scores.tsv").write_text(render(score_rows()), encoding="utf-8")
    written["--scores"] = [str(folder / "scores.tsv")]
    written["--languages"] = ["demo=en/de"]
    counts = f"split\tdocuments\tsentences\ntest\t{len(documents)}\t{len(frame)}\n"
    (folder / "statistics.tsv").write_text(counts, encoding="utf-8")
    written["--statistics"] = [f"demo={folder / 'statistics.tsv'}"]
    quality = "measure\tside\ttest\tremedy\nequal sides (% of pairs)\t\t7.5\tlook at the files\n"
    (folder / "quality.tsv").write_text(quality, encoding="utf-8")
    written["--quality"] = [f"demo={folder / 'quality.tsv'}"]
    written["--benchmarks"] = [str(folder / "benchmarks")]
    return [word for option, values in written.items() for word in (option, *values)]


def score_rows() -> pd.DataFrame:
    """Scores of the systems: concat is significantly worse by BLEU, trees better by TER and accuracy, online alike."""
    tables = []
    for number, name in enumerate([*SYSTEMS, ONLINE]):
        found = [Score("s-BLEU", 30.0 - number, "v"), Score("TER", 50.0 - 10 * number, "v")]
        for place, subset in enumerate(SUBSETS):
            share = 50.0 + 10 * number + place
            found += [
                item_score("contrastive", "accuracy", subset, share, "ties:wrong"),
                item_score("contrastive", "accuracy, lower bound", subset, share - 5, "ties:wrong"),
                item_score("contrastive", "accuracy, upper bound", subset, share + 5, "ties:wrong"),
                item_score("contrastive", "items", subset, 40, "count"),
            ]
        found += [Score("d-BLEU (document)", 30.0 - number, "v"), Score("lexical consistency (nouns)", 80.0, "v")]
        if number:
            p_values = {"s-BLEU": (0.001, 0.2, 0.9)[number - 1], "TER": (0.5, 0.001, 0.9)[number - 1]}
            for metric, p in p_values.items():
                compared = Comparison(SYSTEMS[0], [(1, 1)])
                found.append(compared.difference(metric, -number * (10.0 if metric == "TER" else 1.0), "v"))
                found.append(compared.p(metric, RANDOMISATION, "documents", p, "v"))
        names: dict[str, Any] = {"corpus": "demo", "system": "s", "seed": int(name != ONLINE), "test_set": "test"}
        tables.append(score_table(found, experiment=name, **names))
    return pd.concat(tables, ignore_index=True)


def altered(text: str, number: int) -> str:
    """The translation of a system: the text itself, with its last word replaced, or with its first word left out."""
    spans = words(text)
    if number == 0 or len(spans) < 2:
        return text
    return text[: spans[-1][0]] + "something" if number == 1 else text[spans[1][0] :]


def write(frame: pd.DataFrame, path: Path, table: str) -> str:
    """Write a table; its path."""
    write_table(frame, path, table)
    return str(path)


def plain_documents(number: int, length: int = 8) -> dict[str, Sequence[str]]:
    """Documents of plain sentences."""
    return {f"doc-{n:03}": [f"Sentence {s} of document {n} is here." for s in range(length)] for n in range(number)}


def special_documents() -> dict[str, Any]:
    """Documents of hostile text, one of which has a hostile name, and one of many scripts."""
    return {"<b>scripts</b>": SCRIPTS, HOSTILE[0]: HOSTILE, HOSTILE[2]: HOSTILE[:3]}
