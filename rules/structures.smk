"""Structure files beside a dataset: the discourse unit of each source subword, and what systems read about the units.

Requires: dataset/<split>.arrow, text/tokens and text/subwords, and the tables of annotation of the kind.
Makes: structure/dependencies/<analysis>/<split>.arrow (the units' heads), structure/positions/<analysis>/<split>.arrow
(discourse structural positions), structure/paragraph_dependencies/<analysis>/<split>.arrow (the units' heads and
relations within each paragraph), structure/cache_words/<split>.arrow (the words that a cache may hold),
structure/graph/<analysis>/<split>.arrow (word graphs), and structure/graphs/<analysis>/<experiment>/seed<seed>/
<split>.arrow (word graphs of the source and of a draft).
"""


rule build_structure:
    input:
        unpack(plan.structures.tables("dependencies")),
        imported=ancient(STATISTICS),
        dataset=f"{RESULTS}/{{corpus}}/dataset/{{split}}.arrow",
        tokens=plan.files.all_shards("text/tokens"),
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
        mem_mb=memory(1000, per_megabyte=40, shards=plan.corpora.shard_count),
        runtime=60,
    params:
        code=code("structures.build_structure"),
    shell:
        "python -m discourse_nmt.workflow_scripts.structures.build_structure --dataset {input.dataset:q} --tokens {input.tokens:q} "
        "--edus {input.edus:q} --rst-dependencies {input.rst_dependencies:q} --output {output.structure:q} "
        "2>&1 | tee {log:q}"


rule build_positions:
    input:
        unpack(plan.structures.tables("positions")),
        imported=ancient(STATISTICS),
        dataset=f"{RESULTS}/{{corpus}}/dataset/{{split}}.arrow",
        tokens=plan.files.all_shards("text/tokens"),
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
        mem_mb=memory(1000, per_megabyte=40, shards=plan.corpora.shard_count),
        runtime=240,
    params:
        code=code("structures.build_positions"),
    shell:
        "python -m discourse_nmt.workflow_scripts.structures.build_positions --dataset {input.dataset:q} --tokens {input.tokens:q} "
        "--edus {input.edus:q} --rst {input.rst:q} --output {output.positions:q} 2>&1 | tee {log:q}"


rule build_paragraph_dependencies:
    input:
        unpack(plan.structures.tables("paragraph_dependencies")),
        imported=ancient(STATISTICS),
        dataset=f"{RESULTS}/{{corpus}}/dataset/{{split}}.arrow",
        tokens=plan.files.all_shards("text/tokens"),
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
        mem_mb=memory(1000, per_megabyte=40, shards=plan.corpora.shard_count),
        runtime=60,
    params:
        code=code("structures.build_paragraph_dependencies"),
        conversion=plan.analyses.conversion_options,
    shell:
        "python -m discourse_nmt.workflow_scripts.structures.build_paragraph_dependencies --dataset {input.dataset:q} --tokens {input.tokens:q} "
        "--edus {input.edus:q} --rst {input.rst:q} {params.conversion:q} --output {output.structure:q} "
        "2>&1 | tee {log:q}"


rule build_cache_words:
    input:
        imported=ancient(STATISTICS),
        dataset=f"{RESULTS}/{{corpus}}/dataset/{{split}}.arrow",
        tokens=plan.files.all_shards("text/tokens"),
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
        mem_mb=memory(1000, per_megabyte=40, shards=plan.corpora.shard_count),
        runtime=60,
    params:
        code=code("structures.build_cache_words"),
        language=plan.corpora.source_language,
        stop_words=plan.structures.stop_words,
    shell:
        "python -m discourse_nmt.workflow_scripts.structures.build_cache_words --dataset {input.dataset:q} --tokens {input.tokens:q} "
        "--language {params.language:q} --output {output.structure:q} 2>&1 | tee {log:q}"


rule build_graph_file:
    input:
        imported=ancient(STATISTICS),
        dataset=f"{RESULTS}/{{corpus}}/dataset/{{split}}.arrow",
        tokens=plan.files.all_shards("text/tokens"),
        subwords=plan.files.all_shards("text/subwords"),
        graphs=plan.structures.source_graphs,
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
        mem_mb=memory(2000, fixed=1000, per_megabyte=100, shards=plan.corpora.shard_count),
        runtime=60,
    params:
        code=code("structures.build_graph_file"),
    shell:
        "python -m discourse_nmt.workflow_scripts.structures.build_graph_file --dataset {input.dataset:q} --tokens {input.tokens:q} "
        "--subwords {input.subwords:q} --document-graph {input.graphs:q} --output {output.structure:q} "
        "2>&1 | tee {log:q}"


rule build_draft_graph_file:
    input:
        unpack(plan.structures.draft_tables),
        dataset=f"{RESULTS}/{{corpus}}/dataset/{{split}}.arrow",
        tokens=plan.files.all_shards("text/tokens"),
        subwords=plan.files.all_shards("text/subwords"),
        graphs=plan.structures.source_graphs,
    output:
        structure=f"{RESULTS}/{{corpus}}/structure/graphs/{{analysis}}/{{experiment}}/seed{{seed}}/{{split}}.arrow",
    log:
        f"{DRAFT_LOGS}/build_draft_graph_file/{{analysis}}/{{split}}.log",
    benchmark:
        f"{DRAFT_BENCHMARKS}/build_draft_graph_file/{{analysis}}/{{split}}.tsv"
    conda:
        "../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=memory(2000, fixed=1000, per_megabyte=100),
        runtime=60,
    params:
        code=code("structures.build_graph_file"),
    shell:
        "python -m discourse_nmt.workflow_scripts.structures.build_graph_file --dataset {input.dataset:q} --tokens {input.tokens:q} "
        "--subwords {input.subwords:q} --document-graph {input.graphs:q} --draft-tokens {input.draft_tokens:q} "
        "--draft-subwords {input.draft_subwords:q} --draft-document-graph {input.draft_graphs:q} "
        "--output {output.structure:q} 2>&1 | tee {log:q}"
