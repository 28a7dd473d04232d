"""The committed list of the modules in each job's fingerprint, and what must never be in one."""

from difflib import unified_diff

import pytest

from discourse_nmt.workflow.reruns.code_of_jobs import LIST, OF_SYSTEMS, code_of_jobs, listing
from discourse_nmt.workflow.reruns.fingerprint import PACKAGE

JOBS = code_of_jobs()
# Rooms of the models that belong to one family of systems each.
FAMILIES = {
    "packed": {"rst_transformer", "g_transformer", "concat", "flat_transformer", "hybrid_context"},
    "selective": {"selective"},
    "graph": {"document_graph"},
    "multitask": {"multitask"},
    "theme_cache": {"theme_rheme_cache"},
}


def test_the_list_is_that_of_the_code() -> None:
    """A difference names the jobs that a change of a module runs again, from now on or no more."""
    committed, today = LIST.read_text(encoding="utf-8"), listing(JOBS)
    difference = "".join(unified_diff(committed.splitlines(True), today.splitlines(True), "committed", "today", n=0))
    command = "python -m discourse_nmt.workflow.reruns.code_of_jobs > discourse_nmt/workflow/reruns/code_of_jobs.txt"
    assert not difference, f"jobs depend on other modules; if that is wanted: {command}\n{difference}"


@pytest.mark.parametrize("family", FAMILIES)
def test_code_of_one_family_of_systems_re_trains_no_other(family: str) -> None:
    for system, modules in JOBS["train.train"].items():
        if system not in FAMILIES[family] | {"labeller"}:
            assert not {name for name in modules if name.startswith(f"{PACKAGE}.models.{family}.")}, system


def test_readers_of_structures_are_code_of_their_own_systems_only() -> None:
    for system, modules in JOBS["train.train"].items():
        readers = {name for name in modules if name.startswith(f"{PACKAGE}.training.structures.")}
        shared = {f"{PACKAGE}.training.structures.{name}" for name in ("opening", "protocol", "turning", "unit_files")}
        assert len(readers - shared) <= 1, system


@pytest.mark.parametrize("script", OF_SYSTEMS)
def test_builders_are_code_of_no_network(script: str) -> None:
    for modules in JOBS[script].values():
        assert not {name for name in modules if name.startswith(f"{PACKAGE}.training.builders.")}


def test_networks_are_code_of_no_structure_file() -> None:
    for kind, modules in JOBS["structures.build_structure"].items():
        networks = {name for name in modules if name.endswith((".network", ".layers", ".host"))}
        assert not networks, kind
