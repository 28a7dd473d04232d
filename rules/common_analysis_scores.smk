"""Helpers of the rules that score analyses."""

from discourse_nmt.rules.analyses import compared_sides, compared_tables_of


def gold_of(wildcards):
    """The analysis that an analysis is compared with."""
    return config["analyses"][wildcards.analysis]["compared_with"]


def compared_tables(analysis):
    """The tables of an analysis that are compared, and those that a comparison needs beside them."""
    return compared_tables_of(config, analysis)


def compared_annotation(gold):
    """Input function: the tables that a comparison reads, of the analysis or of its ``gold``."""

    def files(wildcards):
        name = gold_of(wildcards) if gold else wildcards.analysis
        made = config["analyses"][name]["tables"]
        tables = [table for table in compared_tables(wildcards.analysis) if table in made]
        place = wildcards.corpus, name, wildcards.side
        return [path for table in tables for path in annotation(*place, table, wildcards.split)]

    return files


def analysis_tables():
    """The score tables of every comparison of analyses, and of the analysers of every language on each treebank."""
    compared = [
        f"{RESULTS}/{corpus}/discourse/{name}/{side}/scores/{split}.tsv"
        for name in config["analyses"]
        for corpus, side in compared_sides(config, name)
        for split in test_sets(corpus)
    ]
    return compared + (parser_scores("rows") if config["parsers"] else [])
