"""The report: one self-contained HTML page.

Requires: scores.tsv, metrics.csv, translations and contrastive scores of every run, what the filters dropped, and the
analysed documents where there are any.
Makes: results/<run>/report.html.
"""


rule report_page:
    input:
        scores=rules.collect_scores.output.table,
        metrics=run_files("metrics.csv"),
        translations=run_files("translations/{split}.parquet"),
        sentences=[
            path
            for corpus in used_corpora()
            for split in test_sets(corpus)
            for path in shards("corpus", corpus, split)
        ],
        drops=[f"{RESULTS}/{corpus}/corpus/drops.parquet" for corpus in used_corpora()],
        documents=DOCUMENT_FOLDER,
        templates=[str(ROOT / "scoring" / "report.html"), str(ROOT / "discourse" / "drawings" / "section.html")],
    output:
        page=f"{RESULTS}/report.html",
    log:
        f"{RESULTS}/logs/report_page.log",
    benchmark:
        f"{RESULTS}/benchmarks/report_page.tsv"
    conda:
        "../envs/discourse-nmt.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        code=code("report"),
        title=config["run"],
        # Read without being declared: a report is not out of date because a stage took another time.
        benchmarks=f"{RESULTS}/benchmarks",
    shell:
        "python -m workflow_scripts.report --scores {input.scores:q} --title {params.title:q} "
        "--metrics {input.metrics:q} --translations {input.translations:q} --sentences {input.sentences:q} "
        "--drops {input.drops:q} --discourse {input.documents:q} --benchmarks {params.benchmarks:q} --output {output.page:q} 2>&1 | tee {log:q}"
