"""Discourse analysis of texts in natural language, shown by the report.

Requires: the files of the configuration's key documents, English weights in resources/analysers/en.
Makes: results/<run>/documents/: index.html, documents.json, interchange files and drawings of each document, tables/.
"""


rule analyse_documents:
    output:
        folder=directory(f"{RESULTS}/documents"),
    log:
        f"{RESULTS}/logs/analyse_documents.log",
    benchmark:
        f"{RESULTS}/benchmarks/analyse_documents.tsv"
    conda:
        "../envs/network.yaml"
    threads: 1
    resources:
        mem_mb=memory(3000),
        runtime=60,
    params:
        code=code("discourse.analyse_text"),
        # No inputs: a fresh clone has these files elsewhere. Their content counts, and paths only tell where it is.
        files=lambda wildcards: files_digest(document_sources()),
        texts=lambda wildcards, output: list(DOCUMENTS.values()),
    shell:
        "python -m discourse_nmt.workflow_scripts.discourse.analyse_text {params.texts:q} --language en --threads {threads} "
        "--output {output.folder:q} 2>&1 | tee {log:q}"
