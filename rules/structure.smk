"""Structure files: the discourse unit of each source subword and the units' heads, beside the dataset.

Requires: dataset/<split>.arrow, and tokens, edus and rst_dependencies of the source side.
Makes: structure/<analysis>/<split>.arrow, and for analyses with rst.unit: instance
discourse/<analysis>/source/instance_dependencies/<split>/<shard>.parquet.
"""


rule parse_instances:
    input:
        unpack(analyser_inputs("rst")),
        dataset=f"{RESULTS}/{{corpus}}/dataset/{{split}}.arrow",
    output:
        table=f"{RESULTS}/{{corpus}}/discourse/{{analysis}}/{{side}}/instance_dependencies/{{split}}/{{shard}}.parquet",
    log:
        f"{RESULTS}/logs/{{corpus}}/parse_instances/{{analysis}}/{{side}}/{{split}}/{{shard}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/parse_instances/{{analysis}}/{{side}}/{{split}}/{{shard}}.tsv"
    wildcard_constraints:
        side="source",
    conda:
        "../envs/discourse-nmt.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, input: max(3000, int(2000 + 40 * input.size_mb)),
        runtime=480,
    params:
        store=f"{WORK}/{{corpus}}/discourse/{{analysis}}/{{side}}/instance_dependencies/{{split}}/{{shard}}.sqlite",
        tables=analyser_tables,
        language=lambda wildcards: language_of(wildcards.corpus, wildcards.side),
        code=analyser_code("rst", "parse_instances"),
        files=analyser_files("rst"),
        settings=analyser_settings("rst"),
        conversion=lambda wildcards: conversion(wildcards).conversion,
        debinarise=lambda wildcards: ["--debinarise"] if conversion(wildcards).debinarise else [],
    shell:
        "python -m workflow_scripts.parse_instances --settings {params.settings:q} --sentences {input.sentences:q} "
        "--tables {params.tables:q} --dataset {input.dataset:q} --corpus {wildcards.corpus:q} "
        "--split {wildcards.split:q} --language {params.language:q} --conversion {params.conversion} "
        "{params.debinarise:q} --version {params.code}{params.files} --store {params.store:q} --threads {threads} "
        "--output {output.table:q} 2>&1 | tee {log:q}"


rule build_structure:
    input:
        unpack(structure_tables),
        dataset=f"{RESULTS}/{{corpus}}/dataset/{{split}}.arrow",
        tokens=lambda wildcards: shards("text/tokens", wildcards.corpus, wildcards.split),
    output:
        structure=f"{RESULTS}/{{corpus}}/structure/{{analysis}}/{{split}}.arrow",
    log:
        f"{RESULTS}/logs/{{corpus}}/build_structure/{{analysis}}/{{split}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/build_structure/{{analysis}}/{{split}}.tsv"
    conda:
        "../envs/discourse-nmt.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, input: max(1000, int(40 * input.size_mb)),
        runtime=60,
    params:
        code=code("build_structure"),
    shell:
        "python -m workflow_scripts.build_structure --dataset {input.dataset:q} --tokens {input.tokens:q} "
        "--edus {input.edus:q} --rst-dependencies {input.rst_dependencies:q} --output {output.structure:q} "
        "2>&1 | tee {log:q}"
