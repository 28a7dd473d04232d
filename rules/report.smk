"""The report: one self-contained HTML page.

Requires: scores.tsv, metrics.csv, translations and contrastive scores of every run, what the filters dropped.
Makes: results/<run>/report.html.
"""


rule report_page:
    input:
        scores=rules.collect_scores.output.table,
        metrics=run_files("metrics.csv"),
        translations=run_files("translations/{split}.parquet"),
    output:
        page=f"{RESULTS}/report.html",
    log:
        f"{RESULTS}/logs/report.log",
    benchmark:
        f"{RESULTS}/benchmarks/report.tsv"
    params:
        code=code("report"),
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    shell:
        "python -m workflow_scripts.report --scores {input.scores:q} --metrics {input.metrics:q} "
        "--translations {input.translations:q} --output {output.page:q} 2>&1 | tee {log:q}"
