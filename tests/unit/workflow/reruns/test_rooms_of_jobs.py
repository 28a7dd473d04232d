"""The rooms that may not be in the fingerprint of a job: an edit there must not run the job again."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from fnmatch import fnmatch

import pytest

from discourse_nmt import PACKAGE as FOLDER
from discourse_nmt.workflow.reruns.code_of_jobs import code_of_jobs
from discourse_nmt.workflow.reruns.fingerprint import PACKAGE, module_path

JOBS = code_of_jobs()


def but(room: str, *kept: str) -> str:
    """What lies in a room, but for what is named."""
    names = {path.stem for path in (FOLDER / room).iterdir() if path.suffix in ("", ".py")}
    return " ".join(f"{room}.{name}" for name in sorted(names - {"__init__", "__pycache__", *kept}))


NETWORKS = "models.attention models.context models.packed.decoding models.sublayers"  # one is part of every network
SCORED = ("address", "documents", "groups", "hypotheses", "importing", "outputs", "reading", "test_sets")
OTHER_CORPUS = but("corpus", "address")  # by whose words a network keeps forms of address
UPDATES = "training.analysers training.labellers training.processes training.run"

# Rooms, or modules of them, by scripts; a script may match several patterns.
FOREIGN = {
    "*": "base.errors base.progress base.storage new_configuration serving training.operation workflow",
    "corpus.*": f"models training translation {but('discourse', 'structures')}",
    "corpus.[fgikt]*": "quality scoring text",
    # It measures what comes back from the text stage by the BLEU of scores.
    "corpus.measure_corpus": f"demo discourse {but('corpus', 'importing')} {but('scoring', 'metrics')}",
    "corpus.measure_address_rules": f"demo discourse quality text {but('corpus', 'address')} "
    f"{but('scoring', 'metrics', 'tables')}",
    "corpus.fetch* corpus.import* corpus.keep* corpus.take*": "demo discourse",
    "[!c]*": but("quality", "languages"),
    "text.*": f"demo discourse translation {but('corpus', 'importing')} {but('scoring', 'alignment')} "
    f"{but('models', 'core', 'switches')} {but('training', 'checkpoints', 'data')}",
    "text.apply_bpe text.learn_bpe text.tokenise text.train_truecaser": "corpus models scoring training",
    "discourse.*": f"corpus demo translation {but('scoring', 'charts')} {UPDATES} training.tasks",
    "discourse.analyse discourse.build* discourse.convert* discourse.parse*": "models scoring discourse.drawings "
    f"discourse.evaluation discourse.pages discourse.treebanks {but('training', 'data')}",
    "parsers.*": f"corpus demo discourse.drawings discourse.pages translation {but('scoring', 'alignment')} "
    f"{but('models', 'attention', 'core', 'sublayers', 'switches')} "
    f"{but('training', 'analysers', 'checkpoints', 'precision', 'processes')}",
    "parsers.train*": "discourse.backends discourse.themes scoring",
    "structures.*": f"corpus demo scoring translation {NETWORKS} models.core "
    f"{but('discourse', 'backends', 'structures')} {but('training', 'builders', 'data', 'structures')}",
    "train.train": f"{OTHER_CORPUS} demo scoring text translation {but('discourse', 'structures')} "
    "training.analysers training.builders",
    # Its job scores the labeller, too.
    "train.train_labeller": f"corpus demo discourse translation {but('scoring', 'charts', 'metrics', 'tables')} "
    "training.analysers training.builders training.data training.processes training.structures training.tasks",
    "train.translate": f"{OTHER_CORPUS} demo scoring translation {but('discourse', 'structures')} {UPDATES} "
    "training.builders training.settings training.tasks.feed",
    "train.tune_decoding": f"{OTHER_CORPUS} demo {but('scoring', 'alignment', 'metrics')} translation "
    f"{but('discourse', 'structures')} {UPDATES} training.builders training.settings training.tasks.feed",
    "train.score_references": f"{OTHER_CORPUS} demo scoring text translation {but('discourse', 'structures')} "
    f"{UPDATES} training.builders training.settings training.tasks.feed",
    "train.show_cache": f"corpus demo discourse translation {UPDATES} training.builders",
    "train.pack* train.take*": f"corpus demo scoring {NETWORKS} {but('training', 'checkpoints')}",
    "train.import* train.label_words": f"corpus demo models scoring translation {but('training', 'data')}",
    "score.* external.* train.score_information": "demo discourse.backends discourse.drawings discourse.pages "
    f"discourse.parsing scoring.charts scoring.reports translation "
    f"{but('corpus', *SCORED)} {UPDATES}",
    "score.[cjlp]* score.score score.score_[ads]* train.score_information": "models text "
    f"{but('corpus', 'address', 'groups')} {but('training', 'data')}",
    "score.score_contrastive": f"{OTHER_CORPUS} {but('discourse', 'structures')} training.builders",
    "external.*": f"{but('discourse', 'records', 'structures')} models {but('training', 'data')}",
    "report.*": f"{but('corpus', 'address', 'groups')} demo "
    f"models text training translation {but('discourse', 'drawings', 'pages', 'structures')}",
    "commands.*": f"corpus demo models {but('quality', 'languages')} training translation",
}


def rooms_foreign_to(script: str) -> set[str]:
    """The rooms that may not be in the fingerprint of a script's jobs."""
    patterns = (pattern for pattern in FOREIGN if any(fnmatch(script, name) for name in pattern.split()))
    return {room for pattern in patterns for room in FOREIGN[pattern].split()}


def intruders(script: str, importer_of: Mapping[str, str]) -> Iterator[str]:
    """For each foreign room in a job's fingerprint, the shortest chain of imports to it."""
    for room in sorted(rooms_foreign_to(script)):
        modules = (name for name in importer_of if f"{name}.".startswith(f"{PACKAGE}.{room}."))
        chains = sorted((chain(name, importer_of) for name in modules), key=len)
        if chains:
            yield f"{room}: {' -> '.join(chains[0])}"


def chain(module: str, importer_of: Mapping[str, str]) -> list[str]:
    """The modules from an entry of the job to ``module``, each of which imports the next."""
    before = importer_of[module]
    return [*(chain(before, importer_of) if before else []), module.removeprefix(f"{PACKAGE}.")]


@pytest.mark.parametrize("script", JOBS)
def test_no_foreign_room_is_code_of_a_job(script: str) -> None:
    variants = defaultdict(list)
    for variant, importer_of in JOBS[script].items():
        for line in intruders(script, importer_of):
            variants[line].append(variant)
    lines = [f"  {line} {tuple(filter(None, names)) or ''}" for line, names in variants.items()]
    assert not lines, "\n".join([f"an edit of these rooms would run jobs of {script} again:", *lines])


def test_every_job_and_room_is_one_of_today() -> None:
    """Else a new job would be free, and a room with a new name unguarded."""
    names = {name for pattern in FOREIGN if pattern != "*" for name in pattern.split()}
    assert [script for script in JOBS if not any(fnmatch(script, name) for name in names)] == []
    assert [name for name in names if not any(fnmatch(script, name) for script in JOBS)] == []
    rooms = {room for script in JOBS for room in rooms_foreign_to(script)}
    assert [room for room in sorted(rooms) if module_path(f"{PACKAGE}.{room}") is None] == []


@pytest.mark.parametrize("system", sorted(JOBS["train.train"].keys() - {"labeller"}))
def test_what_decides_weights_is_code_of_every_training(system: str) -> None:
    """Order and content of batches, random numbers, sums over processes, arithmetic, choice of the final weights."""
    deciding = (
        "base.shards base.vocabulary models.core.recomputation models.core.transformer models.sublayers.dropout "
        "training.checkpoints.work training.data.batches training.data.dataset training.processes.collectives "
        "training.processes.devices training.run.averaging training.run.evaluation training.run.loop "
        "training.run.optimiser training.run.schedules training.run.seeds training.settings training.tasks.feed "
        "training.tasks.loss"
    )
    assert {f"{PACKAGE}.{name}" for name in deciding.split()} <= JOBS["train.train"][system].keys()
