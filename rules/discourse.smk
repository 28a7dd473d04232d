"""Analysis of discourse: words with syntax, discourse units, trees, dependencies, coreference, themes.

Requires: results/<run>/<corpus>/corpus/<split>/<shard>.parquet, and the files that an analysis imports.
Makes: discourse/<analysis>/<side>/<table>/<split>/<shard>.parquet. Finished documents lie in the document stores,
work/<run>/<corpus>/discourse/, which no rule declares so that no rule removes them.
"""

# One rule per stage, all of one form: they differ in what they read and in the backend that the analysis chooses.
for stage, rule_name in ANALYSER_RULES.items():

    rule:
        name:
            rule_name
        input:
            unpack(analyser_inputs(stage)),
        output:
            table=f"{RESULTS}/{{corpus}}/discourse/{{analysis}}/{{side}}/{stage}/{{split}}/{{shard}}.parquet",
        log:
            f"{RESULTS}/logs/{{corpus}}/{rule_name}/{{analysis}}/{{side}}/{{split}}/{{shard}}.log",
        benchmark:
            f"{RESULTS}/benchmarks/{{corpus}}/{rule_name}/{{analysis}}/{{side}}/{{split}}/{{shard}}.tsv"
        conda:
            analyser_environment(stage)
        threads: 1
        resources:
            mem_mb=memory(3000, fixed=2000, per_megabyte=40),
            runtime=480,
        params:
            stage=stage,
            store=f"{WORK}/{{corpus}}/discourse/{{analysis}}/{{side}}/{stage}/{{split}}/{{shard}}.sqlite",
            tables=analyser_tables,
            language=lambda wildcards: language_of(wildcards.corpus, wildcards.side),
            code=analyser_code(stage),
            files=analyser_files(stage),
            settings=analyser_settings(stage),
        shell:
            "python -m discourse_nmt.workflow_scripts.discourse.analyse --stage {params.stage} --settings {params.settings:q} "
            "--sentences {input.sentences:q} --tables {params.tables:q} --corpus {wildcards.corpus:q} "
            "--split {wildcards.split:q} --side {wildcards.side} --language {params.language:q} "
            "--version {params.code}{params.files} --store {params.store:q} --threads {threads} "
            "--output {output.table:q} 2>&1 | tee {log:q}"


rule convert_rst:
    input:
        imported=ancient(STATISTICS),
        rst=f"{RESULTS}/{{corpus}}/discourse/{{analysis}}/{{side}}/rst/{{split}}/{{shard}}.parquet",
    output:
        table=f"{RESULTS}/{{corpus}}/discourse/{{analysis}}/{{side}}/rst_dependencies/{{split}}/{{shard}}.parquet",
    log:
        f"{RESULTS}/logs/{{corpus}}/convert_rst/{{analysis}}/{{side}}/{{split}}/{{shard}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/convert_rst/{{analysis}}/{{side}}/{{split}}/{{shard}}.tsv"
    conda:
        "../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000, per_megabyte=40),
        runtime=60,
    params:
        code=code("discourse.convert_rst"),
        conversion=lambda wildcards: conversion(wildcards).conversion,
        debinarise=lambda wildcards: ["--debinarise"] if conversion(wildcards).debinarise else [],
    shell:
        "python -m discourse_nmt.workflow_scripts.discourse.convert_rst --rst {input.rst:q} --conversion {params.conversion} "
        "{params.debinarise:q} --output {output.table:q} 2>&1 | tee {log:q}"
