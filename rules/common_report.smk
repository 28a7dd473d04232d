"""Helpers of the report: what its document viewer shows, and what its provenance names."""

from discourse_nmt.rules.description import differing_switches


def report_templates():
    """The files that the report's page is put together from."""
    folders = [ROOT / "scoring" / "reports" / name for name in ("templates", "viewer")]
    return [
        *(path for folder in folders for path in folder.iterdir()),
        ROOT / "discourse" / "drawings" / "section.html",
    ]


def shown_tables(analysis):
    """The tables of an analysis that the viewer shows; trees are over discourse units."""
    tables = config["analyses"][analysis]["tables"]
    trees = {"rst", "rst_dependencies"} & set(tables)
    return list(dict.fromkeys([*tables, *(["edus"] if trees else [])]))


def shown_shards(folder):
    """The shards of all test sets in a folder of a corpus: names as the report takes them, and file."""
    return [
        (f"{corpus}/{split}", path)
        for corpus in used_corpora()
        for split in test_sets(corpus)
        for path in shards(folder, corpus, split)
    ]


def shown_annotations():
    """The tables of annotation of the test sets that the viewer shows: those of the analyses of report.analyses."""
    return [
        (f"{corpus}/{split}/{name}/{table}", path)
        for name in config["report"]["analyses"]
        for corpus in used_corpora()
        if corpus in (config["analyses"][name]["corpora"] or config["corpora"])
        for table in shown_tables(name)
        for split in test_sets(corpus)
        for path in annotation(corpus, name, "source", table, split)
    ]


def shown_tokens():
    """The words that links of word graphs are between, where the viewer shows such links."""
    if not any("document_graph" in config["analyses"][name]["tables"] for name in config["report"]["analyses"]):
        return []
    return shown_shards("text/tokens")


def shown_runs():
    """Names of all training runs and their folders, as the report takes them."""
    return [(f"{corpus}/{name}/{seed}", run_folder(corpus, name, seed)) for corpus, name, seed in runs()]


def shown_drops():
    """The units that filters dropped: corpus and file."""
    return [(corpus, f"{RESULTS}/{corpus}/corpus/drops.parquet") for corpus in used_corpora()]


def paths(named):
    """Paths without their names."""
    return [path for _, path in named]


def named_files(named):
    """Arguments of the report: paths with their names."""
    return [f"{names}={path}" for names, path in named]


def contrastive_tests():
    """Corpus and test set of each table of contrastive items."""
    return [(corpus, split) for corpus in used_corpora() for split in config["corpora"][corpus]["contrastive"]]


def shown_items():
    """The tables of contrastive items: names as the report takes them, and file."""
    return [(f"{corpus}/{split}", CONTRASTIVE[corpus][split]) for corpus, split in contrastive_tests()]


def contrastive_results():
    """The scores of contrastive items by every training run."""
    return [
        f"{run_folder(*run)}/contrastive/{split}.parquet"
        for run in runs()
        for split in config["corpora"][run[0]]["contrastive"]
    ]


def data_files():
    """The files that the corpora of the run are read from."""
    given = [path for corpus in used_corpora() for path in corpus_files(corpus)]
    return sorted({*given, *(CONTRASTIVE[corpus][split] for corpus, split in contrastive_tests())})


# Scripts of stages that every run has.
STAGE_SCRIPTS = (
    "corpus.import_corpus",
    "text.tokenise",
    "text.train_truecaser",
    "text.learn_bpe",
    "text.apply_bpe",
    "text.build_dataset",
    "score.score",
    "score.score_document",
    "score.compare_translations",
    "score.compare_accuracy",
    "score.collect_scores",
    "report.report",
)


def stage_code():
    """Fingerprints of the code that made the run, by stage and, where it has code of its own, experiment or analysis."""
    found = {script.rpartition(".")[2]: code(script) for script in STAGE_SCRIPTS}
    tables = {name: set(shown_tables(name)) for name in config["report"]["analyses"]}
    for experiment in dict.fromkeys(experiment for _, experiment, _ in runs()):
        for script in ("train.train", "train.translate", "score.score_contrastive"):
            found[f"{script.rpartition('.')[2]} {experiment}"] = system_code(script, experiment)
        if needed := STRUCTURES[structure_kind(experiment)].annotation:
            tables.setdefault(config["experiments"][experiment]["analysis"], set()).update(needed)
    for analysis, made in tables.items():
        for stage in [stage for stage in ANALYSER_RULES if stage in made]:
            section = section_of(config["analyses"][analysis], "source", stage)
            found[f"{stage} {analysis}"] = code("discourse.analyse", registry.module_of(stage, section["backend"]))
    return found
