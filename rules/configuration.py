"""Checks of the configuration that end in one line: which key is wrong, and what was probably meant."""

import dataclasses
import json
import math
from collections.abc import Mapping
from typing import Any

from jsonschema import ValidationError

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.corpus.importing.plan import plan
from discourse_nmt.corpus.settings import nearest, parse_settings
from discourse_nmt.corpus.suites.plan import plan as suite_plan
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.models.switches.transformer import MEANING
from discourse_nmt.models.systems import system_named
from discourse_nmt.rules.pretrained import PRETRAINED
from discourse_nmt.rules.schema.validator import ConfigurationValidator
from discourse_nmt.text.settings import TextSettings
from discourse_nmt.training.run.settings import TrainingSettings

# Folders of results/<run>/ that are no corpus.
FOLDERS = ("benchmarks", "documents", "generated", "logs", "parsers")

LIST = ("array", ["array", "null"])  # the schema's types of keys that hold one

# Switches of a system that are sizes of its labeller, and the labeller's setting that decides each.
LABELLER_SIZES = {"labels": "", "lstm_dir_width": "direction_width", "lstm_layers": "layers"}


def describe(error: ValidationError) -> str:
    """One line for a schema violation: the dotted key, what is wrong, and the nearest valid key."""
    if error.validator == "anyOf" and error.context:
        # The schema gives a value for both sides first, then the form with one for each.
        chosen = 1 if isinstance(error.instance, Mapping) else 0
        return describe(min((each for each in error.context if each.schema_path[0] == chosen), key=_precedence))
    place = ".".join(str(part) for part in error.absolute_path) or "the top level"
    if error.validator == "additionalProperties" and isinstance(error.instance, Mapping):
        known = list(error.schema.get("properties", {})) if isinstance(error.schema, Mapping) else []
        unknown = sorted(str(key) for key in set(error.instance) - set(known))[0]
        return f"unknown key {unknown} in {place}; {nearest(unknown, known)}"
    if error.validator == "enum" and isinstance(error.validator_value, list):
        allowed = [str(value) for value in error.validator_value]
        return f"{place}: {error.instance!r} is not one of its values; {nearest(str(error.instance), allowed)}"
    if error.validator == "type" and error.validator_value in LIST and isinstance(error.instance, str | int | float):
        plain = isinstance(error.instance, str) and _is_number(error.instance)
        item = error.instance if plain else json.dumps(error.instance, ensure_ascii=False)
        return f"{place}: {error.instance!r} is no list; write [{item}]"
    if error.validator == "type" and isinstance(error.instance, str) and _is_number(error.instance):
        return f"{place}: {error.instance!r} is text; take off the quotes, or write 1.0e-3 for 1e-3"
    if error.validator == "pattern" and place.rpartition(".")[2] in ("source_language", "target_language"):
        return f"{place}: {error.instance!r} is no ISO 639-1 code; write it in lower case, for example en"
    return f"{place}: {error.message}"


def _precedence(error: ValidationError) -> bool:
    """Unknown keys before missing ones: the one is the other, mistyped."""
    return error.validator == "required"


def _is_number(text: str) -> bool:
    """Whether a person would take ``text`` for a number: YAML reads 1e-3 as text."""
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def check_schema(config: Mapping[str, Any], schema: Mapping[str, Any]) -> None:
    """Fill the schema's defaults into ``config``.

    Raises :class:`InputError` for the first violation of the schema, outermost key first.
    """
    errors = sorted(ConfigurationValidator(schema).iter_errors(config), key=lambda error: len(error.absolute_path))
    if errors:
        raise InputError(describe(errors[0]))


def splits_of(corpus: Mapping[str, Any]) -> list[str]:
    """Every split of a corpus, given or held out."""
    return list(dict.fromkeys([*corpus["splits"], *corpus["held_out"]]))


def test_sets_of(corpus: Mapping[str, Any]) -> list[str]:
    """The splits that are translated and scored: all but train and dev, or dev where there is no other."""
    return [split for split in splits_of(corpus) if split not in ("train", "dev")] or ["dev"]


def import_settings(corpus: Mapping[str, Any]) -> dict[str, Any]:
    """What the import of a corpus depends on."""
    return {key: value for key, value in corpus.items() if key not in ("text", "contrastive", "suites", "where")}


def text_settings(corpus: Mapping[str, Any]) -> dict[str, Any]:
    """What the text stage of a corpus depends on: its section ``text`` and its languages."""
    return {**{key: corpus[key] for key in ("source_language", "target_language")}, **corpus["text"]}


def check_corpora(config: Mapping[str, Any]) -> None:
    """Check what the schema cannot: options of formats, held-out splits, values per side, contrastive items.

    ``config`` has the schema's defaults. Raises :class:`InputError`.
    """
    if not config["corpora"] and not config["parsers"]:
        raise InputError("no corpora", remedy="name a corpus under corpora, or treebanks under parsers")
    for name, corpus in config["corpora"].items():
        if name in FOLDERS:
            raise InputError(f"corpora.{name}: results/<run>/{name} is another folder", remedy="rename the corpus")
        plan(import_settings(corpus), f"corpora.{name}")
        try:
            TextSettings.from_mapping(text_settings(corpus))
        except InputError as error:
            raise InputError(f"corpora.{name}: {error}") from None
        for split in corpus["contrastive"]:
            if split not in test_sets_of(corpus):
                remedy = nearest(split, test_sets_of(corpus))
                raise InputError(f"corpora.{name}.contrastive: no test set {split}", remedy=remedy)
        check_suites(name, corpus)


def check_experiments(config: Mapping[str, Any]) -> None:
    """Check what the schema cannot: systems, their switches, corpora and stage-1 experiments exist, in no circle.

    ``config`` has the schema's defaults. Raises :class:`InputError`.
    """
    experiments = config["experiments"]
    if config["corpora"] and not experiments:
        raise InputError("no experiments", remedy="name a system to train under experiments")
    if PRETRAINED in experiments:
        raise InputError(f"experiments.{PRETRAINED}: that names the checkpoint", remedy="rename the experiment")
    for name, experiment in experiments.items():
        for corpus in experiment.get("corpora", config["corpora"]):
            if corpus not in config["corpora"]:
                remedy = nearest(corpus, config["corpora"])
                raise InputError(f"experiments.{name}.corpora: no corpus {corpus}", remedy=remedy)
            if "dev" not in splits_of(config["corpora"][corpus]):
                remedy = "give it files under splits, or take it from train, for example held_out: {dev: 0.05}"
                raise InputError(f"corpora.{corpus}: no split dev, which decides when training ends", remedy=remedy)
        first = experiment["initialised_from"]
        if first == PRETRAINED:
            check_pretrained(config, name)
            first = None
        if first is not None and first not in experiments:
            remedy = nearest(first, experiments)
            raise InputError(f"experiments.{name}.initialised_from: no experiment {first}", remedy=remedy)
        missing = sorted(corpora_of(config, name) - corpora_of(config, first or name))
        if missing:
            remedy = f"add it to experiments.{first}.corpora"
            raise InputError(
                f"experiments.{name}.initialised_from: {first} is not trained on {missing[0]}", remedy=remedy
            )
        check_sizes_of_first(config, name, first)
        check_labeller(config, name)
    for name in experiments:
        if name in predecessors(experiments, name):
            raise InputError(f"experiments.{name}.initialised_from leads back to {name}", remedy="break the circle")
    check_baselines(config)


def check_sizes_of_first(config: Mapping[str, Any], name: str, first: str | None) -> None:
    """Raise :class:`InputError` where an experiment's network cannot hold the model of the ``first`` one."""
    own = experiment_settings(config, name)["settings"]
    other = own if first is None else experiment_settings(config, first)["settings"]
    for key in ("width", "feed_forward_width", *MEANING):
        if own[key] != other[key]:
            raise InputError(
                f"experiments.{name}: {key} is {own[key]}, that of {first}, which it starts from, is {other[key]}",
                remedy=f"give both the same {key}",
            )
    for key in ("encoder_layers", "decoder_layers"):
        if own[key] < other[key]:
            raise InputError(
                f"experiments.{name}: {key} is {own[key]}, that of {first}, which it starts from, is {other[key]}, so "
                "that its upper layers would be lost",
                remedy=f"give both the same {key}",
            )


def check_suites(name: str, corpus: Mapping[str, Any]) -> None:
    """Raise :class:`InputError` where a suite has the name of a split, or settings that do not fit its format."""
    for suite, section in corpus["suites"].items():
        if suite in splits_of(corpus):
            raise InputError(f"corpora.{name}.suites.{suite}: a split has this name", remedy="rename the suite")
        try:
            suite_plan(section)
        except InputError as error:
            raise InputError(f"corpora.{name}.suites.{suite}: {error}") from None


def check_labeller(config: Mapping[str, Any], name: str) -> None:
    """Raise :class:`InputError` where an experiment lacks a labeller that its system reads, or has one for no use."""
    experiment = config["experiments"][name]
    labeller, first = experiment["labeller"], experiment["initialised_from"]
    switches = system_named(experiment["system"]).switches({**config["model"], **experiment["settings"]})
    if labeller is None and switches.needs_labeller:
        remedy = "name one of labellers, or set settings.cache to continuous"
        raise InputError(f"experiments.{name}: its cache needs a labeller", remedy=remedy)
    if labeller is None:
        return
    if not switches.needs_labeller:
        raise InputError(f"experiments.{name}.labeller: its system has no use for one", remedy="set it to null")
    if labeller not in config["labellers"]:
        remedy = nearest(labeller, config["labellers"])
        raise InputError(f"experiments.{name}.labeller: no labeller {labeller}", remedy=remedy)
    if config["labellers"][labeller]["settings"].get("network") == "characters":
        remedy = "name one with network: encoder"
        raise InputError(f"experiments.{name}.labeller: {labeller} reads characters and has no scores", remedy=remedy)
    if first in (None, PRETRAINED):
        remedy = "set initialised_from to the experiment whose encoder it is to read"
        raise InputError(f"experiments.{name}.labeller: it starts from no experiment", remedy=remedy)
    check_sentence_encoder(config, first, f"experiments.{name}.initialised_from")
    for key, own in LABELLER_SIZES.items():
        for place, given in (("model", config["model"]), (f"experiments.{name}.settings", experiment["settings"])):
            if key in given:
                remedy = f"set labellers.{labeller}.settings.{own}" if own else "leave it out"
                raise InputError(f"{place}.{key}: it is what the labeller has", remedy=remedy)


def check_sentence_encoder(config: Mapping[str, Any], name: str, key: str) -> None:
    """Raise :class:`InputError` naming ``key`` where an experiment's model cannot be read by a labeller."""
    if system_named(config["experiments"][name]["system"]).unit == "instance":
        raise InputError(
            f"{key}: {name} does not encode sentences by themselves, as a labeller reads them",
            remedy="name one whose system does, such as transformer",
        )


def check_pretrained(config: Mapping[str, Any], name: str) -> None:
    """Raise :class:`InputError` where a corpus of an experiment has no checkpoint to start from."""
    for corpus in sorted(corpora_of(config, name)):
        if config["corpora"][corpus]["text"]["pretrained"] is None:
            raise InputError(
                f"experiments.{name}.initialised_from: corpus {corpus} has no checkpoint",
                remedy=f"set subwords and pretrained in corpora.{corpus}.text",
            )


def check_baselines(config: Mapping[str, Any]) -> None:
    """Raise :class:`InputError` for a baseline that is no experiment, or that an experiment cannot be compared with."""
    chosen = {f"experiments.{name}.compared_with": one["compared_with"] for name, one in config["experiments"].items()}
    for key, baseline in {**chosen, "significance.baseline": config["significance"]["baseline"]}.items():
        if baseline is not None and baseline not in config["experiments"]:
            raise InputError(f"{key}: no experiment {baseline}", remedy=nearest(baseline, config["experiments"]))
    for name, baseline in zip(config["experiments"], chosen.values()):
        missing = sorted(corpora_of(config, name) - corpora_of(config, baseline or name))
        if missing:
            raise InputError(
                f"experiments.{name}.compared_with: {baseline} is not trained on {missing[0]}",
                remedy=f"add it to experiments.{baseline}.corpora",
            )
        if baseline == name:
            raise InputError(f"experiments.{name}.compared_with: that is itself", remedy="name another experiment")


def baseline_of(config: Mapping[str, Any], name: str, corpus: str) -> str | None:
    """The experiment that ``name`` is compared with on a corpus; none for the baseline itself."""
    baseline: str | None = config["experiments"][name]["compared_with"] or config["significance"]["baseline"]
    return None if baseline in (None, name) or corpus not in corpora_of(config, baseline) else baseline


def corpora_of(config: Mapping[str, Any], name: str) -> set[str]:
    """The corpora that an experiment is trained on."""
    return set(config["experiments"][name].get("corpora", config["corpora"]))


def predecessors(experiments: Mapping[str, Any], name: str) -> list[str]:
    """The experiments that ``name`` is initialised from, directly and indirectly, each once."""
    found: list[str] = []
    first = experiments[name]["initialised_from"]
    while first not in (None, PRETRAINED, *found):
        found.append(first)
        first = experiments[first]["initialised_from"]
    return found


def structure_of(config: Mapping[str, Any], name: str) -> str:
    """The kind of structure file that an experiment's system reads, a key of :data:`.STRUCTURES`."""
    experiment = config["experiments"][name]
    settings = system_named(experiment["system"]).switches({**config["model"], **experiment["settings"]})
    kind: str = settings.structure
    return kind


def experiment_settings(config: Mapping[str, Any], name: str) -> dict[str, dict[str, Any]]:
    """What an experiment resolves to: settings of its system, training and decoding, with every default.

    Raises :class:`InputError` naming a key that is unknown or whose value is wrong.
    """
    experiment = config["experiments"][name]
    try:
        system = system_named(experiment["system"])
        settings = parse_settings(system.settings, {**config["model"], **experiment["settings"]}, "settings")
        training = parse_settings(TrainingSettings, {**config["training"], **experiment["training"]}, "training")
        decoding = parse_settings(DecodingSettings, {**config["decoding"], **experiment["decoding"]}, "decoding")
    except InputError as error:
        raise InputError(f"experiments.{name}: {error}") from None
    return {
        "settings": dataclasses.asdict(settings),
        "training": dataclasses.asdict(training),
        "decoding": dataclasses.asdict(decoding),
    }
