"""The report: one self-contained HTML page, and the record of what the run is made from.

Requires: scores.tsv, metrics.csv, translations and contrastive scores of every run, what the filters dropped, the
annotation of the test sets by the analyses of the configuration's key report, and the analysed documents where there
are any.
Makes: results/<run>/provenance.json and results/<run>/report.html.
"""


rule record_provenance:
    input:
        models=run_files("model.safetensors"),
        # So that the record is made after every import.
        statistics=[f"{RESULTS}/{corpus}/corpus/statistics.tsv" for corpus in used_corpora()],
        contrastive=[CONTRASTIVE[corpus][split] for corpus, split in contrastive_tests()],
    output:
        record=f"{RESULTS}/provenance.json",
    log:
        f"{RESULTS}/logs/record_provenance.log",
    benchmark:
        f"{RESULTS}/benchmarks/record_provenance.tsv"
    conda:
        "../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000),
        runtime=30,
    params:
        script=code("report.record_provenance"),
        # Hardware changes no result.
        configuration=lambda wildcards: canonical({key: config[key] for key in config if key != "hardware"}),
        switches=lambda wildcards: canonical(differing_switches(config)),
        code=lambda wildcards: canonical(stage_code()),
        # No inputs: a corpus may stay as it was imported before from files that are gone.
        data=lambda wildcards: data_files(),
    shell:
        "python -m discourse_nmt.workflow_scripts.report.record_provenance --configuration {params.configuration:q} "
        "--switches {params.switches:q} --code {params.code:q} --data {params.data:q} --models {input.models:q} "
        "--output {output.record:q} 2>&1 | tee {log:q}"


rule report_page:
    input:
        scores=rules.collect_scores.output.table,
        metrics=run_files("metrics.csv"),
        translations=run_files("translations/{split}.parquet"),
        sentences=paths(shown_shards("corpus")),
        tokens=paths(shown_tokens()),
        annotations=lambda wildcards: paths(shown_annotations()),
        contrastive=paths(shown_items()),
        contrastive_scores=contrastive_results(),
        drops=paths(shown_drops()),
        documents=DOCUMENT_FOLDER,
        provenance=rules.record_provenance.output.record,
    output:
        page=report(f"{RESULTS}/report.html", category="Report", caption="captions/report.rst"),
    log:
        f"{RESULTS}/logs/report_page.log",
    benchmark:
        f"{RESULTS}/benchmarks/report_page.tsv"
    conda:
        "../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=memory(3000),
        runtime=30,
    params:
        code=code("report.report"),
        # No inputs, as all that ships with the project: a fresh clone has them elsewhere. Their content counts.
        templates=lambda wildcards: files_digest(report_templates()),
        title=config["run"],
        number=config["report"]["documents"],
        runs=named_files(shown_runs()),
        sentences=named_files(shown_shards("corpus")),
        tokens=named_files(shown_tokens()),
        annotations=lambda wildcards: named_files(shown_annotations()),
        contrastive=named_files(shown_items()),
        drops=named_files(shown_drops()),
        # Read without being declared: a report is not out of date because a stage took another time.
        benchmarks=f"{RESULTS}/benchmarks",
    shell:
        "python -m discourse_nmt.workflow_scripts.report.report --scores {input.scores:q} --title {params.title:q} "
        "--runs {params.runs:q} --sentences {params.sentences:q} --tokens {params.tokens:q} "
        "--annotations {params.annotations:q} --contrastive {params.contrastive:q} --drops {params.drops:q} "
        "--discourse {input.documents:q} "
        "--provenance {input.provenance:q} --documents {params.number} --benchmarks {params.benchmarks:q} "
        "--output {output.page:q} 2>&1 | tee {log:q}"
