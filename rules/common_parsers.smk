"""Helpers of the rules that train the builtin analysers."""

PARSERS = f"{RESULTS}/parsers"


def treebank_files(wildcards):
    """The files of a treebank; a missing one is told in one line, before any job starts."""
    treebank = config["parsers"][wildcards.language]["treebanks"][wildcards.treebank]
    files = []
    for pattern in [*treebank["conllu"], *treebank["rst"], *treebank["coreference"]]:
        found = files_matching(pattern.split("::")[0])
        if not found:
            place = f"parsers.{wildcards.language}.treebanks.{wildcards.treebank}"
            raise WorkflowError(f"{place}: no file {pattern}; {treebank['where'] or 'correct the path'}")
        files += found
    return sorted(set(files))


def parser_option(key):
    """Params function of the rules of parsers: one key of a language's section, as canonical JSON where it is a section itself."""

    def option(wildcards):
        value = config["parsers"][wildcards.language][key]
        return canonical(value) if isinstance(value, dict) else value

    return option


def prepared_treebanks(*names):
    """Input function of the rules of parsers: the folders of the named treebanks that the language has."""

    def folders(wildcards):
        treebanks = config["parsers"][wildcards.language]["treebanks"]
        return [f"{PARSERS}/{wildcards.language}/treebanks/{name}" for name in names if name in treebanks]

    return folders


def parser_weights(wildcards):
    """The weights of all analysers that are trained for a language."""
    section = config["parsers"][wildcards.language]
    models = ["segmenter", "joint", *(name for name in ("rst", "coreference") if section[name] is not None)]
    return [f"{PARSERS}/{wildcards.language}/weights/{name}.safetensors" for name in models]


def parser_scores(folder="scores"):
    """The scores of every language's analysers on each treebank that they do not learn from, in that ``folder``."""
    if not config["parsers"]:
        raise WorkflowError("no section parsers in the configuration; use --configfile config/parsers.yaml")
    return [
        f"{PARSERS}/{language}/{folder}/{name}.tsv"
        for language, section in config["parsers"].items()
        for name in section["treebanks"]
        if name not in ("train", "more")
    ]


def treebank_option(key):
    """Params function of the rules of parsers: one key of a treebank's section."""
    return lambda wildcards: config["parsers"][wildcards.language]["treebanks"][wildcards.treebank][key]


def conllu_files(name):
    """Params function of the rules of parsers: the pattern of a prepared treebank's files, if the language has it."""
    return lambda wildcards: [f"{folder}/conllu/*.conllu" for folder in prepared_treebanks(name)(wildcards)]


def fold_training(wildcards):
    """Settings of the joint networks that annotate a fold."""
    section = config["parsers"][wildcards.language]
    return canonical({**section["training"], **section["fold_training"]})


def annotated_folds(wildcards):
    """The training documents as joint networks see them that were trained without them."""
    folds = config["parsers"][wildcards.language]["folds"]
    return [f"{PARSERS}/{wildcards.language}/folds/{fold}/annotated.conllu" for fold in range(folds)]


def tree_files(name):
    """Params function of the rules of parsers: the patterns of a prepared treebank's RST trees, rs3 or rs4."""

    def patterns(wildcards):
        given = config["parsers"][wildcards.language]["treebanks"][name]["rst"]
        kinds = sorted({pattern.rpartition(".")[2] for pattern in given})
        return [f"{folder}/{kind}/*.{kind}" for folder in prepared_treebanks(name)(wildcards) for kind in kinds]

    return patterns


def analyser_option(name, key):
    """Params function of the rules of parsers: a key of the section of one analyser, as canonical JSON."""
    return lambda wildcards: canonical(config["parsers"][wildcards.language][name].get(key, {}))
