"""Regular expressions of names, and faults in one line."""

import re

import pytest
from snakemake.exceptions import WorkflowError

from discourse_nmt.base.errors import InputError
from discourse_nmt.workflow.jobs.interface import names_regex, told_in_one_line


def test_names_are_matched_as_they_are() -> None:
    regex = names_regex(["a.b", "c+"])
    assert [name for name in ("a.b", "c+", "axb", "cc", "a.bc", "") if re.fullmatch(regex, name)] == ["a.b", "c+"]


def test_no_names_match_nothing() -> None:
    assert not re.match(names_regex([]), "")


def test_a_fault_names_its_owner() -> None:
    with pytest.raises(WorkflowError, match=r"^corpus x: no file; get it$"), told_in_one_line("corpus x"):
        raise InputError("no file", remedy="get it")
