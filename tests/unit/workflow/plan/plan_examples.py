"""A configuration with every kind of experiment, and the wildcards of jobs."""

import copy
from collections.abc import Mapping
from typing import Any

import yaml
from snakemake.iocontainers import Wildcards

from discourse_nmt.workflow.checks.configuration import check_configuration
from discourse_nmt.workflow.checks.schema import check_schema
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.plan.plan import Plan
from discourse_nmt.workflow.resolving.resolve import resolve
from discourse_nmt.workflow.schema.validator import parsed_schema
from tests.conftest import ROOT

SCHEMA = parsed_schema((ROOT / "config.schema.yaml").read_text(encoding="utf-8"))
CONFIG = yaml.safe_load("""
run: example
corpora:
  news:
    source_language: en
    target_language: de
    format: table
    shards: 2
    splits:
      train: {files: [train.tsv]}
      dev: {files: [dev.tsv]}
      test: {files: [test.tsv]}
      more: {files: [more.tsv]}
    contrastive: {test: items.parquet}
    suites:
      deixis: {format: voita, files: [deixis.json]}
      forms: {format: ctxpro, files: [forms.json], source: [forms.en]}
  talks:
    source_language: en
    target_language: de
    format: table
    shards: 1
    splits: {train: {files: [train.tsv]}}
    held_out: {dev: 0.1}
    text: {lowercase: {source: false, target: true}}
analyses:
  builtin: {tables: [edus, rst]}
  gold:
    corpora: [news]
    edus: {backend: import, format: table, files: "gold/{split}.parquet"}
    rst: {backend: import, format: table, files: "gold/{split}.parquet", unit: document}
    coreference: {backend: import, format: table, files: "gold/{document}.parquet"}
experiments:
  sentence: {system: transformer, seeds: [1, 2]}
  second: {system: g_transformer, initialised_from: sentence, seeds: [1, 2, 3], compared_with: sentence}
  trees: {system: rst_transformer, initialised_from: second, corpora: [news]}
  drafted: {system: document_graph, initialised_from: second, seeds: [3], corpora: [news]}
  remembering:
    system: theme_rheme_cache
    initialised_from: sentence
    labeller: themes
    seeds: [2, 3]
labellers:
  themes: {experiments: [sentence]}
  words: {imported: {format: ctrd, files: [ctrd.xml]}, settings: {network: characters}}
significance: {baseline: null}
""")

PRETRAINED = {
    "subwords": "sentencepiece",
    "pretrained": "mbart",
    "truecase": False,
    "normalise": False,
    "lowercase": False,
}


def read(config: Mapping[str, Any]) -> Configuration:
    """A configuration with the schema's defaults, as it is read."""
    return Configuration.read(check_schema(config, SCHEMA))


def configured(**sections: Any) -> Configuration:
    """The example with keys replaced in its sections, resolved and checked."""
    config = copy.deepcopy(CONFIG)
    for name, values in sections.items():
        config[name] = {**config.get(name, {}), **values} if isinstance(values, dict) else values
    resolved = resolve(read(config))
    check_configuration(resolved)
    return resolved


def planned(**sections: Any) -> Plan:
    """The plan of the example."""
    return Plan(configured(**sections))


def job(**wildcards: str) -> Wildcards:
    """The wildcards of a job, as Snakemake gives them to input functions."""
    return Wildcards(fromdict=wildcards)


def run(experiment: str, seed: int = 1, corpus: str = "news", **wildcards: str) -> Wildcards:
    """The wildcards of a job of a training run."""
    return job(corpus=corpus, experiment=experiment, seed=str(seed), **wildcards)
