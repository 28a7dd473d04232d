"""Analysis of discourse: words with syntax, discourse units, trees, dependencies, coreference, themes, word graphs.

Requires: results/<run>/<corpus>/corpus/<split>/<shard>.parquet, the files that an analysis imports, and for word graphs
text/tokens.
Makes: discourse/<analysis>/<side>/<table>/<split>/<shard>.parquet, the same of drafts in drafts/<experiment>/seed<seed>/,
and for analyses with rst.unit: instance, which parse each training instance separately, instance_dependencies/ or
paragraph_rst/. Finished documents lie in the document stores, work/<run>/<corpus>/discourse/,
which no rule declares so that no rule removes them. results/<run>/documents/ is the analysis of the key documents,
which the report shows.
On demand: documents_jsonl/<analysis>/<split>.jsonl, documents with all their annotation and word alignment;
graph_size/<analysis>/<side>/<split>.svg with its numbers in a .tsv beside it; of a multi-task model,
experiments/<experiment>/seed<seed>/discourse/ with the tables edus, rst and rst_dependencies that it predicts,
TABLE/<split>.parquet, and <split>.tsv, its agreement with the experiment's analysis.
"""

# Stages before the trees of instances: the longest chain to a training. Other jobs fill the cores beside it, and it ends
# before a training of another system takes all cores, instead of after that.
CHAIN = ("syntax", "edus")


# One rule per stage, all of one form. They differ in their inputs and in the backend that the analysis chooses.
for stage, rule_name in ANALYSER_RULES.items():

    rule:
        name:
            rule_name
        input:
            unpack(plan.analyses.inputs(stage)),
        output:
            table=f"{RESULTS}/{{corpus}}/discourse/{{analysis}}/{{side}}/{stage}/{{split}}/{{shard}}.parquet",
        log:
            f"{RESULTS}/logs/{{corpus}}/{rule_name}/{{analysis}}/{{side}}/{{split}}/{{shard}}.log",
        benchmark:
            f"{RESULTS}/benchmarks/{{corpus}}/{rule_name}/{{analysis}}/{{side}}/{{split}}/{{shard}}.tsv"
        priority: int(stage in CHAIN)
        conda:
            plan.analyses.environment(stage)
        threads: 1
        resources:
            mem_mb=memory(3000, fixed=2000, per_megabyte=40),
            runtime=480,
        params:
            stage=stage,
            store=f"{WORK}/{{corpus}}/discourse/{{analysis}}/{{side}}/{stage}/{{split}}/{{shard}}.sqlite",
            tables=earlier_tables,
            language=plan.corpora.side_language,
            code=plan.analyses.code(stage),
            files=plan.analyses.digest(stage),
            settings=plan.analyses.resolved(stage),
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
        conversion=lambda wildcards: plan.analyses.conversion(wildcards).conversion,
        debinarise=lambda wildcards: ["--debinarise"] if plan.analyses.conversion(wildcards).debinarise else [],
    shell:
        "python -m discourse_nmt.workflow_scripts.discourse.convert_rst --rst {input.rst:q} --conversion {params.conversion} "
        "{params.debinarise:q} --output {output.table:q} 2>&1 | tee {log:q}"


rule build_graph:
    input:
        unpack(plan.analyses.graph_inputs),
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
        tables=plan.analyses.graph_options,
        settings=plan.analyses.graph_settings,
    shell:
        "python -m discourse_nmt.workflow_scripts.discourse.build_graph --tokens {input.tokens:q} {params.tables:q} --side {wildcards.side} "
        "--settings {params.settings:q} --output {output.table:q} 2>&1 | tee {log:q}"


rule plot_graph_size:
    input:
        tokens=plan.files.all_shards("text/tokens"),
        graphs=plan.analyses.graphs,
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


use rule analyse_syntax as analyse_draft_syntax with:
    output:
        table=f"{DRAFT}/discourse/{{analysis}}/{{side}}/syntax/{{split}}/{{shard}}.parquet",
    log:
        f"{DRAFT_LOGS}/analyse_draft_syntax/{{analysis}}/{{side}}/{{split}}/{{shard}}.log",
    benchmark:
        f"{DRAFT_BENCHMARKS}/analyse_draft_syntax/{{analysis}}/{{side}}/{{split}}/{{shard}}.tsv"
    params:
        store=f"{DRAFT_WORK}/discourse/{{analysis}}/{{side}}/syntax/{{split}}/{{shard}}.sqlite",


use rule resolve_coreference as resolve_draft_coreference with:
    output:
        table=f"{DRAFT}/discourse/{{analysis}}/{{side}}/coreference/{{split}}/{{shard}}.parquet",
    log:
        f"{DRAFT_LOGS}/resolve_draft_coreference/{{analysis}}/{{side}}/{{split}}/{{shard}}.log",
    benchmark:
        f"{DRAFT_BENCHMARKS}/resolve_draft_coreference/{{analysis}}/{{side}}/{{split}}/{{shard}}.tsv"
    params:
        store=f"{DRAFT_WORK}/discourse/{{analysis}}/{{side}}/coreference/{{split}}/{{shard}}.sqlite",


use rule build_graph as build_draft_graph with:
    input:
        unpack(plan.analyses.graph_inputs),
        tokens=rules.tokenise_draft.output.tokens,
    output:
        table=f"{DRAFT}/discourse/{{analysis}}/{{side}}/document_graph/{{split}}/{{shard}}.parquet",
    log:
        f"{DRAFT_LOGS}/build_draft_graph/{{analysis}}/{{side}}/{{split}}/{{shard}}.log",
    benchmark:
        f"{DRAFT_BENCHMARKS}/build_draft_graph/{{analysis}}/{{side}}/{{split}}/{{shard}}.tsv"


# Two rules of one form, parse_instances and parse_paragraphs.
for unit, table in TREE_TABLES.items():

    rule:
        name:
            f"parse_{unit}s"
        input:
            unpack(plan.analyses.inputs("rst")),
            dataset=f"{RESULTS}/{{corpus}}/dataset/{{split}}.arrow",
        output:
            table=f"{RESULTS}/{{corpus}}/discourse/{{analysis}}/{{side}}/{table}/{{split}}/{{shard}}.parquet",
        log:
            f"{RESULTS}/logs/{{corpus}}/parse_{unit}s/{{analysis}}/{{side}}/{{split}}/{{shard}}.log",
        benchmark:
            f"{RESULTS}/benchmarks/{{corpus}}/parse_{unit}s/{{analysis}}/{{side}}/{{split}}/{{shard}}.tsv"
        wildcard_constraints:
            side="source",
        priority: 1
        conda:
            "../envs/network.yaml"
        threads: 1
        resources:
            mem_mb=memory(3000, fixed=2000, per_megabyte=40),
            runtime=480,
        params:
            unit=unit,
            store=f"{WORK}/{{corpus}}/discourse/{{analysis}}/{{side}}/{table}/{{split}}/{{shard}}.sqlite",
            tables=earlier_tables,
            language=plan.corpora.side_language,
            code=plan.analyses.code("rst", "discourse.parse_instances"),
            files=plan.analyses.digest("rst"),
            settings=plan.analyses.resolved("rst"),
            conversion=plan.analyses.conversion_options if unit == "instance" else [],
        shell:
            "python -m discourse_nmt.workflow_scripts.discourse.parse_instances --unit {params.unit} --settings {params.settings:q} "
            "--sentences {input.sentences:q} --tables {params.tables:q} --dataset {input.dataset:q} "
            "--corpus {wildcards.corpus:q} --split {wildcards.split:q} --language {params.language:q} "
            "{params.conversion:q} --version {params.code}{params.files} --store {params.store:q} --threads {threads} "
            "--output {output.table:q} 2>&1 | tee {log:q}"


# A multi-task model as a discourse parser; on demand.
rule predict_discourse:
    input:
        model=f"{RUN}/model.safetensors",
        dataset=f"{RESULTS}/{{corpus}}/dataset/{{split}}.arrow",
        tokens=plan.files.all_shards("text/tokens"),
        source_vocabulary=f"{RESULTS}/{{corpus}}/text/source/vocabulary.json",
        target_vocabulary=f"{RESULTS}/{{corpus}}/text/target/vocabulary.json",
        against=plan.structures.of_test_set("paragraph_dependencies"),
    output:
        edus=f"{RUN}/discourse/edus/{{split}}.parquet",
        rst=f"{RUN}/discourse/rst/{{split}}.parquet",
        rst_dependencies=f"{RUN}/discourse/rst_dependencies/{{split}}.parquet",
        scores=f"{RUN}/discourse/{{split}}.tsv",
    log:
        f"{RESULTS}/logs/{{corpus}}/predict_discourse/{{experiment}}/seed{{seed}}/{{split}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/predict_discourse/{{experiment}}/seed{{seed}}/{{split}}.tsv"
    conda:
        "../envs/network.yaml"
    threads: HARDWARE.threads
    resources:
        gpu=min(1, GPUS),
        device=DEVICE,
        mem_mb=memory(4000),
        runtime=240,
    params:
        code=code("discourse.predict_discourse"),
    shell:
        "python -m discourse_nmt.workflow_scripts.discourse.predict_discourse --model {input.model:q} --dataset {input.dataset:q} "
        "--tokens {input.tokens:q} --source-vocabulary {input.source_vocabulary:q} "
        "--target-vocabulary {input.target_vocabulary:q} --against {input.against:q} --threads {threads} --device {resources.device} "
        "--edus {output.edus:q} --rst {output.rst:q} --rst-dependencies {output.rst_dependencies:q} "
        "--scores {output.scores:q} 2>&1 | tee {log:q}"


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
        code=code("commands.analyse"),
        # No inputs: a fresh clone has these files elsewhere. Their content counts, not their paths.
        files=lambda wildcards: files_digest(plan.report.document_sources()),
        texts=lambda wildcards, output: plan.report.documents,
    shell:
        "python -m discourse_nmt analyse {params.texts:q} --language en --threads {threads} "
        "--output {output.folder:q} 2>&1 | tee {log:q}"


rule export_documents:
    input:
        imported=ancient(STATISTICS),
        sentences=plan.files.all_shards("corpus"),
        tokens=plan.files.all_shards("text/tokens"),
        annotation=plan.analyses.exported_files,
        alignment=f"{RESULTS}/{{corpus}}/text/word_translations.parquet",
    output:
        documents=f"{RESULTS}/{{corpus}}/documents_jsonl/{{analysis}}/{{split}}.jsonl",
    log:
        f"{RESULTS}/logs/{{corpus}}/export_documents/{{analysis}}/{{split}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/export_documents/{{analysis}}/{{split}}.tsv"
    conda:
        "../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=memory(2000, fixed=1000, per_megabyte=60),
        runtime=120,
    params:
        code=code("discourse.export_documents"),
        tables=plan.analyses.exported_options,
        source_language=plan.corpora.source_language,
        target_language=plan.corpora.target_language,
        licence=plan.corpora.licence_option,
    shell:
        "python -m discourse_nmt.workflow_scripts.discourse.export_documents --sentences {input.sentences:q} "
        "--tokens {input.tokens:q} --tables {params.tables:q} --alignment {input.alignment:q} "
        "--corpus {wildcards.corpus:q} --split {wildcards.split:q} --source-language {params.source_language:q} "
        "--target-language {params.target_language:q} {params.licence:q} --output {output.documents:q} "
        "2>&1 | tee {log:q}"
