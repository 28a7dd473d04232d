"""Helpers of the rules of word graphs."""

from functools import cache

from discourse_nmt.rules.graphs import graph_settings, graph_tables, what_is_missing


def graph_section(analysis):
    """What words the graphs of an analysis link, with every default."""
    return dataclasses.asdict(graph_settings(config["analyses"][analysis]))


def graph_inputs(wildcards):
    """Input function of a word graph: the tables of its shard that the chosen relations are made of."""
    corpus, analysis, side, split = wildcards.corpus, wildcards.analysis, wildcards.side, wildcards.split
    tell_empty_relations(corpus, analysis, side)
    return {
        table: f"{text_folder(wildcards)}/discourse/{analysis}/{side}/{table}/{split}/{wildcards.shard}.parquet"
        for table in graph_tables(graph_settings(config["analyses"][analysis]))
    }


def graph_options(wildcards, input):
    """These tables as options of the command."""
    return [word for name in graph_inputs(wildcards) for word in (f"--{name}", input[name])]


@cache
def tell_empty_relations(corpus, analysis, side):
    """Say, once in a run, what has no edges because there is no model for the language."""
    chosen = graph_settings(config["analyses"][analysis])
    backends = {stage: settings_of(config["analyses"][analysis], side, stage) for stage in graph_tables(chosen)}
    for line in what_is_missing(chosen, language_of(corpus, side), backends):
        logger.warning(f"analysis {analysis}, {side} side of the corpus {corpus}: {line}")
