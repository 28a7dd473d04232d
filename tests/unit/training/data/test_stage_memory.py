"""The memory of commands that write a file of a whole split does not grow with the number of shards."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks.workflow.peak_memory import peak_of
from discourse_nmt.base.storage.shard_files import write_shards

DOCUMENTS, SENTENCES, SUBWORDS, PIECES = 8, 20, 2000, 20  # of a shard, a document, a sentence, a word
FEW, MANY = 2, 14
ROOM = 28  # megabytes; the dataset grows by twice as much


def keys(shard: int) -> Iterator[dict[str, object]]:
    for document in range(DOCUMENTS):
        for sent_id in range(SENTENCES):
            yield {"doc_id": f"{document} of {shard}", "sent_id": sent_id}


def shard(number: int) -> dict[str, pd.DataFrame]:
    """Long sentences of one unit each."""
    words = np.arange(SUBWORDS, dtype=np.int32) // PIECES
    places = np.arange(SUBWORDS // PIECES, dtype=np.int32)
    tokens = {"tokens": ["w"] * len(places), "starts": places, "ends": places + 1, "gaps": [""] * (len(places) + 1)}
    unit = {"start": 0, "end": len(places)}
    rows: dict[str, list[dict[str, object]]] = {"subwords": [], "tokens": [], "edus": [], "rst_dependencies": []}
    for key in keys(number):
        for side in ("source", "target"):
            rows["subwords"].append({**key, "side": side, "ids": words + 6, "word_of_subword": words})
            rows["tokens"].append({**key, "side": side, **tokens})
        rows["edus"].append({**key, "edu_id": key["sent_id"], **unit})
        root = {"doc_id": key["doc_id"], "edu_id": key["sent_id"], "head": -1, "relation": "ROOT"}
        rows["rst_dependencies"].append(root)
    return {name: pd.DataFrame(found) for name, found in rows.items()}


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables of few and of many shards."""
    folder = tmp_path_factory.mktemp("tables")
    for count in (FEW, MANY):
        for name in shard(0):
            write_shards((shard(number)[name] for number in range(count)), folder / f"{count}.{name}", name)
    return folder


def test_memory_does_not_grow_with_the_number_of_shards(tables: Path) -> None:
    peaks: dict[str, list[int]] = {"dataset": [], "structure": []}
    for count in (FEW, MANY):
        dataset, structure = str(tables / f"{count}.arrow"), str(tables / f"{count}.structure.arrow")
        paths = {name: str(tables / f"{count}.{name}") for name in shard(0)}
        subwords = ["--subwords", paths.pop("subwords")]
        peaks["dataset"].append(peak_of("text.build_dataset", [*subwords, "--output", dataset]).anonymous)
        files = [f"{name}={path}" for name, path in paths.items()]
        arguments = ["--kind", "dependencies", "--dataset", dataset, "--tables", *files, "--output", structure]
        peaks["structure"].append(peak_of("structures.build_structure", arguments).anonymous)
    sizes = [(tables / f"{count}.arrow").stat().st_size >> 20 for count in (FEW, MANY)]
    assert sizes[1] - sizes[0] > 2 * ROOM
    for few, many in peaks.values():
        assert few > 20 and many - few < ROOM
