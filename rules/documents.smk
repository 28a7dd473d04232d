"""Discourse analysis of texts in natural language, shown by the report.

Requires: the files of the configuration's key documents, English weights in resources/analysers/en.
Makes: results/<run>/documents/: index.html, documents.json, interchange files and drawings of each document, tables/.
"""


rule analyse_documents:
    input:
        texts=list(DOCUMENTS.values()),
        templates=[str(ROOT / "discourse" / "drawings" / name) for name in ("section.html", "index.html")],
    output:
        folder=directory(f"{RESULTS}/documents"),
    log:
        f"{RESULTS}/logs/analyse_documents.log",
    benchmark:
        f"{RESULTS}/benchmarks/analyse_documents.tsv"
    conda:
        "../envs/discourse-nmt.yaml"
    threads: 1
    resources:
        mem_mb=3000,
        runtime=60,
    params:
        code=code("analyse_text"),
        # No input: Snakemake compares large files by their time, and a fresh clone would seem changed.
        weights=lambda wildcards: files_digest(path for path in DOCUMENT_WEIGHTS if path.is_file()),
    shell:
        "python -m workflow_scripts.analyse_text {input.texts:q} --language en --threads {threads} "
        "--output {output.folder:q} 2>&1 | tee {log:q}"
