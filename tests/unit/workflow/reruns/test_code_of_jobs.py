"""The modules in each job's fingerprint: the families of systems are apart, and so are readers and builders."""

import pytest

from discourse_nmt.workflow.reruns.code_of_jobs import OF_SYSTEMS, code_of_jobs, listing
from discourse_nmt.workflow.reruns.fingerprint import PACKAGE, module_path, script_module

JOBS = code_of_jobs()
# Rooms of the models that belong to one family of systems each.
FAMILIES = {
    "packed": {"rst_transformer", "g_transformer", "concat", "flat_transformer", "hybrid_context"},
    "selective": {"selective"},
    "graph": {"document_graph"},
    "multitask": {"multitask"},
    "theme_cache": {"theme_rheme_cache"},
}


def test_the_list_names_jobs_by_module() -> None:
    """Variants are named where not all of them depend on a module."""
    first, second = f"{PACKAGE}.x.y", f"{PACKAGE}.z"
    jobs = {"train.train": {"a": [first, second], "b": [second]}, "score.score": {"": [second]}}
    assert listing(jobs) == "x.y: train.train[a]\nz: score.score, train.train\n"


def test_scripts_in_rooms_of_rooms_are_jobs() -> None:
    assert {"parsers.projection.project_trees", "corpus.import_corpus", "commands.analyse"} <= JOBS.keys()
    assert all(len(modules) > 0 and module_path(script_module(script)) for script, modules in JOBS.items())


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
