"""The report: one self-contained HTML page, and the record of what the run is made from.

Requires: scores.tsv, metrics.csv, translations and contrastive scores of every run, what the filters dropped, the
annotation of the test sets by the analyses of the configuration's key report, and the analysed documents where there
are any.
Makes: results/<run>/provenance.json and results/<run>/report.html.
"""


rule record_provenance:
    input:
        models=plan.runs.files_named("model.safetensors"),
        metrics=plan.runs.files_named("metrics.csv"),
        # So that the record is made after every import.
        statistics=plan.report.statistics(),
        contrastive=paths(plan.report.contrastive_items()),
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
        configuration=lambda wildcards: plan.report.configuration(),
        switches=lambda wildcards: plan.report.switches(),
        code=lambda wildcards: plan.report.code(),
        # No inputs: a corpus may stay as it was imported before from files that are gone.
        data=lambda wildcards: plan.report.data_files(),
    shell:
        "python -m discourse_nmt.workflow_scripts.report.record_provenance --configuration {params.configuration:q} "
        "--switches {params.switches:q} --code {params.code:q} --data {params.data:q} --models {input.models:q} "
        "--metrics {input.metrics:q} "
        "--output {output.record:q} 2>&1 | tee {log:q}"


rule report_page:
    input:
        scores=rules.collect_scores.output.table,
        metrics=plan.runs.files_named("metrics.csv"),
        translations=plan.runs.translated_files("translations/{split}.parquet"),
        alignments=plan.report.output_alignments(),
        sentences=paths(plan.report.test_shards("corpus")),
        tokens=paths(plan.report.tokens()),
        annotations=lambda wildcards: paths(plan.report.annotation()),
        contrastive=paths(plan.report.contrastive_items()),
        contrastive_scores=plan.report.contrastive_scores(),
        reference_scores=paths(plan.report.reference_scores()),
        drops=paths(plan.report.drops()),
        statistics=plan.report.statistics(),
        quality=paths(plan.report.quality()),
        documents=plan.report.document_folder(),
        papers=plan.papers.made("json"),
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
        templates=lambda wildcards: files_digest(plan.report.templates()),
        title=configuration.run,
        number=configuration.report.documents,
        languages=plan.report.languages(),
        lowercase=plan.report.lowercased_corpora(),
        # A function: braces of a regular expression are no wildcards.
        groups=lambda wildcards: plan.report.groups(),
        runs=named(plan.report.run_folders()),
        external=named(plan.report.external_folders()),
        sentences=named(plan.report.test_shards("corpus")),
        tokens=named(plan.report.tokens()),
        annotations=lambda wildcards: named(plan.report.annotation()),
        contrastive=lambda wildcards: named(plan.report.contrastive_items()),
        reference_scores=named(plan.report.reference_scores()),
        drops=named(plan.report.drops()),
        statistics=named(plan.report.named_statistics()),
        quality=named(plan.report.quality()),
        # Read without being declared: a report is not out of date because a stage took another time.
        benchmarks=f"{RESULTS}/benchmarks",
    shell:
        "python -m discourse_nmt.workflow_scripts.report.report --scores {input.scores:q} --title {params.title:q} "
        "--runs {params.runs:q} --external {params.external:q} --sentences {params.sentences:q} --tokens {params.tokens:q} "
        "--annotations {params.annotations:q} --contrastive {params.contrastive:q} "
        "--reference-scores {params.reference_scores:q} --drops {params.drops:q} "
        "--statistics {params.statistics:q} --quality {params.quality:q} "
        "--discourse {input.documents:q} --languages {params.languages:q} --lowercase {params.lowercase:q} "
        "--groups {params.groups:q} --papers {input.papers:q} --provenance {input.provenance:q} --documents {params.number} --benchmarks {params.benchmarks:q} "
        "--output {output.page:q} 2>&1 | tee {log:q}"
