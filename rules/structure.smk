"""Structure files beside a dataset: the discourse unit of each source subword, and what systems read about the units.

Requires: dataset/<split>.arrow, and of the source side tokens and, but for cache_words, edus and rst_dependencies or rst.
Makes: structure/dependencies/<analysis>/<split>.arrow (the units' heads), structure/positions/<analysis>/<split>.arrow
(discourse structural positions), structure/paragraph_dependencies/<analysis>/<split>.arrow (the units' heads and
relations within each paragraph), structure/cache_words/<split>.arrow (the words that a cache may hold), and for
analyses with rst.unit: instance, where what a system reads at a time is parsed by itself, discourse/<analysis>/source/
instance_dependencies/ or paragraph_rst/ <split>/<shard>.parquet. On demand, of a multi-task model,
experiments/<experiment>/seed<seed>/discourse/ with the tables edus, rst and rst_dependencies that it finds,
TABLE/<split>.parquet, and <split>.tsv, its agreement with the experiment's analysis.
"""

RUN_OF_EXPERIMENT = run_folder("{corpus}", "{experiment}", "{seed}")

# Two rules of one form, parse_instances and parse_paragraphs.
for unit, table in TREE_TABLES.items():

    rule:
        name:
            f"parse_{unit}s"
        input:
            unpack(analyser_inputs("rst")),
            dataset=f"{RESULTS}/{{corpus}}/dataset/{{split}}.arrow",
        output:
            table=f"{RESULTS}/{{corpus}}/discourse/{{analysis}}/{{side}}/{table}/{{split}}/{{shard}}.parquet",
        log:
            f"{RESULTS}/logs/{{corpus}}/parse_{unit}s/{{analysis}}/{{side}}/{{split}}/{{shard}}.log",
        benchmark:
            f"{RESULTS}/benchmarks/{{corpus}}/parse_{unit}s/{{analysis}}/{{side}}/{{split}}/{{shard}}.tsv"
        wildcard_constraints:
            side="source",
        conda:
            "../envs/network.yaml"
        threads: 1
        resources:
            mem_mb=memory(3000, fixed=2000, per_megabyte=40),
            runtime=480,
        params:
            unit=unit,
            store=f"{WORK}/{{corpus}}/discourse/{{analysis}}/{{side}}/{table}/{{split}}/{{shard}}.sqlite",
            tables=analyser_tables,
            language=lambda wildcards: language_of(wildcards.corpus, wildcards.side),
            code=analyser_code("rst", "discourse.parse_instances"),
            files=analyser_files("rst"),
            settings=analyser_settings("rst"),
            conversion=conversion_options if unit == "instance" else [],
        shell:
            "python -m discourse_nmt.workflow_scripts.discourse.parse_instances --unit {params.unit} --settings {params.settings:q} "
            "--sentences {input.sentences:q} --tables {params.tables:q} --dataset {input.dataset:q} "
            "--corpus {wildcards.corpus:q} --split {wildcards.split:q} --language {params.language:q} "
            "{params.conversion:q} --version {params.code}{params.files} --store {params.store:q} --threads {threads} "
            "--output {output.table:q} 2>&1 | tee {log:q}"


rule build_structure:
    input:
        unpack(structure_tables("dependencies")),
        imported=ancient(STATISTICS),
        dataset=f"{RESULTS}/{{corpus}}/dataset/{{split}}.arrow",
        tokens=lambda wildcards: shards("text/tokens", wildcards.corpus, wildcards.split),
    output:
        structure=f"{RESULTS}/{{corpus}}/structure/dependencies/{{analysis}}/{{split}}.arrow",
    log:
        f"{RESULTS}/logs/{{corpus}}/build_structure/{{analysis}}/{{split}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/build_structure/{{analysis}}/{{split}}.tsv"
    conda:
        "../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000, per_megabyte=40, shards=shard_count),
        runtime=60,
    params:
        code=code("structures.build_structure", STRUCTURES["dependencies"].builder),
        tables=table_options("dependencies"),
    shell:
        "python -m discourse_nmt.workflow_scripts.structures.build_structure --kind dependencies "
        "--dataset {input.dataset:q} --tables {params.tables:q} --output {output.structure:q} 2>&1 | tee {log:q}"


rule build_positions:
    input:
        unpack(structure_tables("positions")),
        imported=ancient(STATISTICS),
        dataset=f"{RESULTS}/{{corpus}}/dataset/{{split}}.arrow",
        tokens=lambda wildcards: shards("text/tokens", wildcards.corpus, wildcards.split),
    output:
        positions=f"{RESULTS}/{{corpus}}/structure/positions/{{analysis}}/{{split}}.arrow",
    log:
        f"{RESULTS}/logs/{{corpus}}/build_positions/{{analysis}}/{{split}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/build_positions/{{analysis}}/{{split}}.tsv"
    conda:
        "../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000, per_megabyte=40, shards=shard_count),
        runtime=240,
    params:
        code=code("structures.build_structure", STRUCTURES["positions"].builder),
        tables=table_options("positions"),
    shell:
        "python -m discourse_nmt.workflow_scripts.structures.build_structure --kind positions "
        "--dataset {input.dataset:q} --tables {params.tables:q} --output {output.positions:q} 2>&1 | tee {log:q}"


rule build_paragraph_dependencies:
    input:
        unpack(structure_tables("paragraph_dependencies")),
        imported=ancient(STATISTICS),
        dataset=f"{RESULTS}/{{corpus}}/dataset/{{split}}.arrow",
        tokens=lambda wildcards: shards("text/tokens", wildcards.corpus, wildcards.split),
    output:
        structure=f"{RESULTS}/{{corpus}}/structure/paragraph_dependencies/{{analysis}}/{{split}}.arrow",
    log:
        f"{RESULTS}/logs/{{corpus}}/build_paragraph_dependencies/{{analysis}}/{{split}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/build_paragraph_dependencies/{{analysis}}/{{split}}.tsv"
    conda:
        "../envs/network.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000, per_megabyte=40, shards=shard_count),
        runtime=60,
    params:
        code=code("structures.build_structure", STRUCTURES["paragraph_dependencies"].builder),
        tables=table_options("paragraph_dependencies"),
        conversion=conversion_options,
    shell:
        "python -m discourse_nmt.workflow_scripts.structures.build_structure --kind paragraph_dependencies "
        "--dataset {input.dataset:q} --tables {params.tables:q} {params.conversion:q} --output {output.structure:q} 2>&1 | tee {log:q}"


rule build_cache_words:
    input:
        imported=ancient(STATISTICS),
        dataset=f"{RESULTS}/{{corpus}}/dataset/{{split}}.arrow",
        tokens=lambda wildcards: shards("text/tokens", wildcards.corpus, wildcards.split),
    output:
        structure=f"{RESULTS}/{{corpus}}/structure/cache_words/{{split}}.arrow",
    log:
        f"{RESULTS}/logs/{{corpus}}/build_cache_words/{{split}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/build_cache_words/{{split}}.tsv"
    conda:
        "../envs/network.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000, per_megabyte=40, shards=shard_count),
        runtime=60,
    params:
        code=code("structures.build_structure", STRUCTURES["cache_words"].builder),
        tables=table_options("cache_words"),
        language=lambda wildcards: language_of(wildcards.corpus, "source"),
        stop_words=lambda wildcards: files_digest([stop_word_list(wildcards.corpus)]),
    shell:
        "python -m discourse_nmt.workflow_scripts.structures.build_structure --kind cache_words "
        "--dataset {input.dataset:q} --tables {params.tables:q} --language {params.language:q} --output {output.structure:q} 2>&1 | tee {log:q}"


# A multi-task model as a discourse parser; on demand.
rule predict_discourse:
    input:
        model=f"{RUN_OF_EXPERIMENT}/model.safetensors",
        dataset=f"{RESULTS}/{{corpus}}/dataset/{{split}}.arrow",
        tokens=lambda wildcards: shards("text/tokens", wildcards.corpus, wildcards.split),
        source_vocabulary=f"{RESULTS}/{{corpus}}/text/source/vocabulary.json",
        target_vocabulary=f"{RESULTS}/{{corpus}}/text/target/vocabulary.json",
        against=lambda wildcards: files_of_structure(**wildcards, kind="paragraph_dependencies"),
    output:
        edus=f"{RUN_OF_EXPERIMENT}/discourse/edus/{{split}}.parquet",
        rst=f"{RUN_OF_EXPERIMENT}/discourse/rst/{{split}}.parquet",
        rst_dependencies=f"{RUN_OF_EXPERIMENT}/discourse/rst_dependencies/{{split}}.parquet",
        scores=f"{RUN_OF_EXPERIMENT}/discourse/{{split}}.tsv",
    log:
        f"{RESULTS}/logs/{{corpus}}/predict_discourse/{{experiment}}/seed{{seed}}/{{split}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/predict_discourse/{{experiment}}/seed{{seed}}/{{split}}.tsv"
    conda:
        "../envs/network.yaml"
    threads: config["hardware"]["threads"]
    resources:
        gpu=min(1, config["hardware"]["gpus"]),
        mem_mb=memory(4000),
        runtime=240,
    params:
        code=code("discourse.predict_discourse"),
    shell:
        "python -m discourse_nmt.workflow_scripts.discourse.predict_discourse --model {input.model:q} --dataset {input.dataset:q} "
        "--tokens {input.tokens:q} --source-vocabulary {input.source_vocabulary:q} "
        "--target-vocabulary {input.target_vocabulary:q} --against {input.against:q} --threads {threads} "
        "--edus {output.edus:q} --rst {output.rst:q} --rst-dependencies {output.rst_dependencies:q} "
        "--scores {output.scores:q} 2>&1 | tee {log:q}"
