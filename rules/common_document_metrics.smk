"""Helpers of the rules of document metrics: the annotation and the stop words that they use."""

from discourse_nmt.corpus.settings import nearest
from discourse_nmt.text.stop_words import stop_word_file

if config["document_metrics"]["analysis"] not in (None, *config["analyses"]):
    raise WorkflowError(
        f"config: document_metrics.analysis: no analysis {config['document_metrics']['analysis']}; "
        + nearest(config["document_metrics"]["analysis"], config["analyses"])
    )


def measured_annotation(table):
    """Input function: a table of the chosen analysis, where it is about the corpus and has an analyser for it."""

    def files(wildcards):
        analysis = config["document_metrics"]["analysis"]
        if analysis is None or wildcards.corpus not in (config["analyses"][analysis]["corpora"] or config["corpora"]):
            return []
        try:
            check_annotation(config, wildcards.corpus, analysis, "source", table)
        except InputError:
            return []
        return annotation(wildcards.corpus, analysis, "source", table, wildcards.split)

    return files


def source_stop_words(wildcards):
    """The stop words of the source language, where there is a list."""
    try:
        return [str(stop_word_file(config["corpora"][wildcards.corpus]["source_language"]))]
    except InputError:
        return []
