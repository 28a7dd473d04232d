"""Word graphs of documents.

Requires: text/tokens and text/subwords by split and shard, dataset/<split>.arrow, and the tables of annotation that the chosen relations are made of.
Makes: discourse/<analysis>/<side>/document_graph/<split>/<shard>.parquet, and on demand
graph_size/<analysis>/<side>/<split>.svg with its numbers in a .tsv beside it; structure/graph/<analysis>/<split>.arrow,
which systems read beside the dataset.
"""


rule build_graph:
    input:
        unpack(graph_inputs),
        imported=ancient(STATISTICS),
        tokens=f"{RESULTS}/{{corpus}}/text/tokens/{{split}}/{{shard}}.parquet",
    output:
        table=f"{RESULTS}/{{corpus}}/discourse/{{analysis}}/{{side}}/document_graph/{{split}}/{{shard}}.parquet",
    log:
        f"{RESULTS}/logs/{{corpus}}/build_graph/{{analysis}}/{{side}}/{{split}}/{{shard}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/build_graph/{{analysis}}/{{side}}/{{split}}/{{shard}}.tsv"
    conda:
        "../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=memory(2000, fixed=1000, per_megabyte=200),
        runtime=60,
    params:
        code=code("discourse.build_graph"),
        tables=graph_options,
        settings=lambda wildcards: canonical(graph_section(wildcards.analysis)),
    shell:
        "python -m discourse_nmt.workflow_scripts.discourse.build_graph --tokens {input.tokens:q} {params.tables:q} --side {wildcards.side} "
        "--settings {params.settings:q} --output {output.table:q} 2>&1 | tee {log:q}"


rule plot_graph_size:
    input:
        tokens=lambda wildcards: shards("text/tokens", wildcards.corpus, wildcards.split),
        document_graph=lambda wildcards: annotation(
            wildcards.corpus, wildcards.analysis, wildcards.side, "document_graph", wildcards.split
        ),
    output:
        drawing=f"{RESULTS}/{{corpus}}/graph_size/{{analysis}}/{{side}}/{{split}}.svg",
        numbers=f"{RESULTS}/{{corpus}}/graph_size/{{analysis}}/{{side}}/{{split}}.tsv",
    log:
        f"{RESULTS}/logs/{{corpus}}/plot_graph_size/{{analysis}}/{{side}}/{{split}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/plot_graph_size/{{analysis}}/{{side}}/{{split}}.tsv"
    conda:
        "../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=memory(2000, fixed=1000, per_megabyte=100),
        runtime=60,
    params:
        code=code("discourse.plot_graph_size"),
    shell:
        "python -m discourse_nmt.workflow_scripts.discourse.plot_graph_size --tokens {input.tokens:q} --graphs {input.graphs:q} "
        "--side {wildcards.side} --output {output.drawing:q} --numbers {output.numbers:q} 2>&1 | tee {log:q}"


rule build_graph_file:
    input:
        imported=ancient(STATISTICS),
        dataset=f"{RESULTS}/{{corpus}}/dataset/{{split}}.arrow",
        tokens=lambda wildcards: shards("text/tokens", wildcards.corpus, wildcards.split),
        subwords=lambda wildcards: shards("text/subwords", wildcards.corpus, wildcards.split),
        document_graph=lambda wildcards: annotation(
            wildcards.corpus, wildcards.analysis, "source", "document_graph", wildcards.split
        ),
    output:
        structure=f"{RESULTS}/{{corpus}}/structure/graph/{{analysis}}/{{split}}.arrow",
    log:
        f"{RESULTS}/logs/{{corpus}}/build_graph_file/{{analysis}}/{{split}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/build_graph_file/{{analysis}}/{{split}}.tsv"
    conda:
        "../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=memory(2000, fixed=1000, per_megabyte=100, shards=shard_count),
        runtime=60,
    params:
        code=code("structures.build_structure", STRUCTURES["graph"].builder),
        tables=table_options("graph"),
    shell:
        "python -m discourse_nmt.workflow_scripts.structures.build_structure --kind graph "
        "--dataset {input.dataset:q} --tables {params.tables:q} --output {output.structure:q} 2>&1 | tee {log:q}"
