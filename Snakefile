"""Document-level machine translation with discourse structure, from a parallel corpus to scored translations.

Named targets, each with all it needs: corpus, text, analyse, train, labellers, translate, caches, score, report; parsers
trains the analysers that ship with the project. The default is score.
"""

from snakemake.utils import min_version

min_version("9.19")


report: "rules/captions/workflow.rst"


include: "rules/common.smk"
include: "rules/common_discourse.smk"
include: "rules/common_graph.smk"
include: "rules/common_drafts.smk"
include: "rules/common_labeller.smk"
include: "rules/common_caches.smk"
include: "rules/common_documents.smk"
include: "rules/common_parsers.smk"
include: "rules/common_significance.smk"
include: "rules/common_analysis_scores.smk"
include: "rules/common_document_metrics.smk"
include: "rules/common_suites.smk"
include: "rules/common_report.smk"
include: "rules/corpus.smk"
include: "rules/text.smk"
include: "rules/discourse.smk"
include: "rules/graph.smk"
include: "rules/structure.smk"
include: "rules/parsers.smk"
include: "rules/pretrained.smk"
include: "rules/train.smk"
include: "rules/labeller.smk"
include: "rules/translate.smk"
include: "rules/caches.smk"
include: "rules/drafts.smk"
include: "rules/score.smk"
include: "rules/document_metrics.smk"
include: "rules/significance.smk"
include: "rules/analysis_scores.smk"
include: "rules/suites.smk"
include: "rules/documents.smk"
include: "rules/report.smk"


localrules:
    all,
    corpus,
    text,
    analyse,
    parsers,
    train,
    labellers,
    translate,
    caches,
    score,
    report,


rule all:
    default_target: True
    input:
        f"{RESULTS}/scores.tsv",


rule corpus:
    input:
        [f"{RESULTS}/{corpus}/corpus/statistics.tsv" for corpus in config["corpora"]],
        [suite_items(corpus, suite) for corpus in config["corpora"] for suite in suites(corpus)],


rule text:
    input:
        [
            f"{RESULTS}/{corpus}/dataset/{split}.arrow"
            for corpus in config["corpora"]
            for split in splits(corpus) + suites(corpus)
        ],


rule analyse:
    input:
        lambda wildcards: annotations(),


rule parsers:
    input:
        lambda wildcards: parser_scores(),


rule train:
    input:
        run_files("model.safetensors"),


rule labellers:
    input:
        all_labeller_tables(),


rule translate:
    input:
        run_files("translations/{split}.parquet"),


rule caches:
    input:
        cache_files(),


rule score:
    input:
        f"{RESULTS}/scores.tsv",
        f"{RESULTS}/scores.md",


rule report:
    input:
        f"{RESULTS}/report.html",
