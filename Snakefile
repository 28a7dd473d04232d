"""Document-level machine translation with discourse structure, from a parallel corpus to scored translations.

    corpus -> text -> discourse -> structures -> train -> score -> report

Outputs of other systems and metrics from outside come in before score (`external`). Each stage is one file of rules;
`parsers` trains the analysers that ship with the project. Each target below makes all it needs; the default is score's
table.
"""

from snakemake.utils import min_version

min_version("9.19")


report: "rules/captions/workflow.rst"


include: "rules/common.smk"
include: "rules/corpus.smk"
include: "rules/text.smk"
include: "rules/discourse.smk"
include: "rules/structures.smk"
include: "rules/parsers.smk"
include: "rules/labellers.smk"
include: "rules/train.smk"
include: "rules/external.smk"
include: "rules/score.smk"
include: "rules/report.smk"


localrules:
    all,
    data,
    corpus,
    text,
    analyse,
    documents_jsonl,
    chats,
    parsers,
    train,
    labellers,
    translate,
    models,
    caches,
    score,
    table,
    report,


# The table of all scores.
rule all:
    default_target: True
    input:
        f"{RESULTS}/scores.tsv",
        paths(plan.report.quality()),


# The files of every corpus that says where they come from.
rule data:
    input:
        lambda wildcards: plan.data.manifests(),


# Every corpus and test suite, imported and filtered.
rule corpus:
    input:
        [file(corpus) for file in (plan.files.statistics, plan.files.quality) for corpus in configuration.corpora],
        [plan.corpora.suite_items(corpus, suite) for corpus, suite in plan.corpora.suite_sources],


# Every split as subword ids.
rule text:
    input:
        [
            plan.files.dataset(corpus, split)
            for corpus in configuration.corpora
            for split in plan.corpora.splits(corpus) + plan.corpora.suites(corpus)
        ],


# The annotation of every analysis.
rule analyse:
    input:
        lambda wildcards: plan.analyses.all_annotation(),


# Documents with all their annotation as JSON lines.
rule documents_jsonl:
    input:
        lambda wildcards: plan.analyses.exported(),


# The same as chats to fine-tune language models with.
rule chats:
    input:
        lambda wildcards: plan.language_models.chats(),


# The analysers of every language under parsers, trained and scored.
rule parsers:
    input:
        lambda wildcards: plan.parsers.scores(),


# A model of every experiment, corpus and seed.
rule train:
    input:
        plan.runs.files_named("model.safetensors"),
        paths(plan.report.quality()),


# Every labeller of themes, with its scores.
rule labellers:
    input:
        plan.labellers.all_tables(),


# Every test set, translated by every model; the translations of other systems, imported.
rule translate:
    input:
        plan.runs.translated_files("translations/{split}.parquet"),
        plan.runs.translated_files("translations/{split}.txt"),


# A model folder of every training run.
rule models:
    input:
        plan.runs.files_named("model"),


# Tables and pages of what theme-rheme caches hold.
rule caches:
    input:
        plan.scores.cache_files(),


# The table of all scores, and the same to read.
rule score:
    input:
        f"{RESULTS}/scores.tsv",
        f"{RESULTS}/scores.md",
        paths(plan.report.quality()),
        plan.runs.translated_files("translations/{split}.txt"),


# The tables of papers that the configuration names, beside what it measures; they are in the report, too.
rule table:
    input:
        plan.papers.made("md"),
        plan.papers.made("tex"),
        f"{RESULTS}/report.html",


# The report of the run, one page of HTML.
rule report:
    input:
        f"{RESULTS}/report.html",
