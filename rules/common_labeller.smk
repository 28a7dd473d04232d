"""Helpers of the rules of theme labellers, and of those that use what they make."""

from discourse_nmt.rules.labellers import check_labellers, check_words, imported_words, labeller_settings

try:
    check_labellers(config)
except InputError as error:
    raise WorkflowError(f"config: {error}") from None

# Labellers by where their labelled words come from.
IMPORTED = {name: imported_words(config, name) for name in config["labellers"]}


def labellers_regex(imported):
    """A regular expression for the names of the labellers with or without a labelled corpus of their own."""
    names = [name for name, words in IMPORTED.items() if (words is not None) == imported]
    return "|".join(map(re.escape, names)) or r"(?!)"


wildcard_constraints:
    labeller=one_of("labellers"),


def labeller_folder(corpus, labeller, experiment, seed):
    """Folder of one trained labeller; it reads the encoder of that experiment's model of that seed."""
    return f"{RESULTS}/{corpus}/labellers/{labeller}/{experiment}/seed{seed}"


def labeller_tables():
    """The score tables of the labellers that experiments use."""
    return sorted({f"{folder}/scores.tsv" for run in runs() for folder in labeller_folders(*run)})


def all_labeller_tables():
    """Those, and the ones of every labeller and model that the configuration names under labellers."""
    named = {
        f"{labeller_folder(corpus, labeller, experiment, seed)}/scores.tsv"
        for labeller, section in config["labellers"].items()
        for corpus, experiment, seed in runs()
        if experiment in section["experiments"]
    }
    return sorted(named.union(labeller_tables()))


def labelled_words(corpus, labeller, split):
    """The table of the labelled words of a split."""
    return f"{RESULTS}/{corpus}/labellers/{labeller}/words/{split}.parquet"


def labeller_test_sets(corpus, labeller):
    """The splits on which a labeller is scored."""
    return ["test"] if IMPORTED[labeller] else test_sets(corpus)


def words_to_import(labeller):
    """The files of a labelled corpus; a missing one is an error before any job."""
    chosen = IMPORTED[labeller]
    found = {pattern: files_matching(pattern.split("::")[0]) for pattern in chosen.files}
    for pattern, paths in found.items():
        if not paths:
            where = chosen.where or f"put it there, or correct labellers.{labeller}.imported.files"
            raise WorkflowError(f"labeller {labeller}: no file {pattern}; {where}")
    return sorted({path for paths in found.values() for path in paths})


def themes_to_label(wildcards):
    """The tables of themes that give a corpus's words their labels."""
    try:
        check_words(config, wildcards.labeller, wildcards.corpus)
    except InputError as error:
        raise WorkflowError(f"config: {error}") from None
    analysis = config["labellers"][wildcards.labeller]["analysis"]
    return annotation(wildcards.corpus, analysis, "source", "themes", wildcards.split)


def labeller_model(wildcards):
    """The model whose encoder a labeller reads; none for one that reads words."""
    if labeller_settings(config, wildcards.labeller)["settings"]["network"] == "characters":
        return []
    return [f"{run_folder(wildcards.corpus, wildcards.experiment, wildcards.seed)}/model.safetensors"]


def labeller_code(wildcards):
    """Fingerprint of the training of a labeller on an experiment's model, whose network is loaded by name."""
    return code(
        "train.train_labeller", SYSTEMS[system_of(wildcards.experiment)].module, *subword_modules(wildcards.corpus)
    )


# Told before any job and in one line: what an input function raises is shown with where it was raised.
if "labellers" in sys.argv:
    for name, words in IMPORTED.items():
        if words is not None:
            words_to_import(name)
