"""Whether two runs have the same results, but for when they were made and how long that took."""

import io
import re
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import verified

# Made by Snakemake of times alone.
VOLATILE = ("logs", "benchmarks")
TIMES = ["seconds", "tokens_per_second"]


def results(folder: Path) -> list[str]:
    """The files of all results below ``folder``, in order; hidden files are none."""
    paths = [path.relative_to(folder) for path in folder.glob("results/*/**/*") if path.is_file()]
    kept = [path for path in paths if path.parts[2] not in VOLATILE and not path.name.startswith(".")]
    return sorted(map(str, kept))


def differences(reference: Path, folder: Path, names: Iterable[str] | None = None) -> list[str]:
    """What differs in ``folder``: results that are missing, too many, damaged or others; all or the ``names`` given."""
    wanted, found = (sorted(names) if names is not None else results(where) for where in (reference, folder))
    return [f"{name}: missing" for name in wanted if not (folder / name).is_file()] + [
        fault for name in found if (folder / name).is_file() and (fault := difference(reference, folder, name))
    ]


def difference(reference: Path, folder: Path, name: str) -> str:
    """What is wrong with a result, or nothing."""
    if not (reference / name).is_file():
        return f"{name}: too many"
    try:
        verified(folder / name)
    except InputError as error:
        return str(error)
    return "" if content(reference / name) == content(folder / name) else f"{name}: other content"


def content(path: Path) -> bytes:
    """The bytes of a result without times."""
    whole = path.read_bytes()
    if path.name == "metrics.csv":
        return pd.read_csv(io.BytesIO(whole)).drop(columns=TIMES).to_csv().encode()
    if path.name == "report.html":  # it shows curves over time, times of stages and folded documents
        return b"" if not whole.endswith(b"</html>\n") else b" ".join(sorted(set(re.findall(rb"<h[1-6][^>]*>", whole))))
    return whole
