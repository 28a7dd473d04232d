"""Helpers of the rules that compare systems with their baseline."""

from discourse_nmt.rules.configuration import baseline_of


def compared_runs(wildcards):
    """(experiment, seed) of the runs that a job compares, and of those of the baseline beside them.

    It is the run of one seed where the output names it, else those of all seeds of the experiment.
    """
    experiment = wildcards.experiment
    baseline = baseline_of(config, experiment, wildcards.corpus)
    seeds = [wildcards.seed] if "seed" in wildcards.keys() else config["experiments"][experiment]["seeds"]
    return [(experiment, seed) for seed in seeds], [(baseline, seed_in(baseline, seed)) for seed in seeds]


def files_of_runs(wildcards, compared, folder):
    """The Parquet file of a test set in a folder of each of some runs."""
    return [f"{run_folder(wildcards.corpus, *run)}/{folder}/{wildcards.split}.parquet" for run in compared]


def own_files(folder):
    """Input function of a comparison: what the experiment's runs have in a folder."""
    return lambda wildcards: files_of_runs(wildcards, compared_runs(wildcards)[0], folder)


def baseline_files(folder):
    """Input function of a comparison: what the baseline's runs have in a folder."""
    return lambda wildcards: files_of_runs(wildcards, compared_runs(wildcards)[1], folder)


def compared_seeds(wildcards):
    """The seeds of both and the baseline's name, as options of the command."""
    own, others = compared_runs(wildcards)
    seeds = [[str(seed) for _, seed in side] for side in (own, others)]
    return ["--seeds", *seeds[0], "--baseline", others[0][0], "--baseline-seeds", *seeds[1]]


def contrastive_sets(corpus):
    """The test sets and suites of a corpus that systems score given translations of."""
    asked = [suite for suite in suites(corpus) if not is_generated(corpus, suite)]
    return [*config["corpora"][corpus]["contrastive"], *asked]


def significance_tables(folder, sets):
    """The score tables of the comparisons on the test sets ``sets(corpus)``: one for each run that has a baseline, and
    one over all seeds of an experiment that has several."""
    compared = [run for run in runs() if baseline_of(config, run[1], run[0])]
    together = dict.fromkeys(run[:2] for run in compared if len(config["experiments"][run[1]]["seeds"]) > 1)
    folders = [run_folder(*run) for run in compared]
    folders += [f"{RESULTS}/{corpus}/experiments/{experiment}" for corpus, experiment in together]
    corpora = [corpus for corpus, *_ in [*compared, *together]]
    return [f"{place}/{folder}/{split}.tsv" for place, corpus in zip(folders, corpora) for split in sets(corpus)]
