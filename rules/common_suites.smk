"""Helpers of the rules of test suites: which there are, their files, and what they are scored with."""

from discourse_nmt.corpus import suites as suite_formats
from discourse_nmt.corpus.suites.plan import plan as suite_plan


def suites(corpus):
    """The names of a corpus's test suites, which are splits that are neither trained on nor scored by BLEU."""
    return list(config["corpora"][corpus]["suites"])


def suite_files(corpus, suite):
    """The files a suite is read from, see :func:`found_files`."""
    settings = suite_plan(config["corpora"][corpus]["suites"][suite]).settings
    patterns = [pattern for role in settings.roles.values() for pattern in role]
    where = settings.where or f"put it there, or correct corpora.{corpus}.suites.{suite} in the configuration"
    return found_files(patterns, f"suite {suite}", where, suite_items(corpus, suite))


def suite_items(corpus, suite):
    """The table of a suite's items."""
    return f"{RESULTS}/{corpus}/suites/{suite}.parquet"


def suite_settings(corpus, suite):
    """What the import of a suite depends on."""
    section = config["corpora"][corpus]["suites"][suite]
    return canonical({key: value for key, value in section.items() if key != "where"})


def is_generated(corpus, suite):
    """Whether a suite looks at translations; others score given ones."""
    return suite_formats.FORMATS[config["corpora"][corpus]["suites"][suite]["format"]].generated


def suite_results(wildcards):
    """What a suite's accuracy is computed from: a table of scores, or expected forms and translations."""
    corpus, suite = wildcards.corpus, wildcards.split
    folder = run_folder(corpus, wildcards.experiment, wildcards.seed)
    if is_generated(corpus, suite):
        return [suite_items(corpus, suite), f"{folder}/translations/{suite}.parquet"]
    return [f"{folder}/contrastive/{suite}.parquet"]


def suite_tables():
    """The score tables of every training run on every suite of its corpus."""
    return [f"{run_folder(*run)}/suites/{suite}.tsv" for run in runs() for suite in suites(run[0])]
