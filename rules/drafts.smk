"""Drafts: translations of all splits by the first stage, in the place of the target, and their word graphs.

Requires: corpus/, text/ and dataset/ of the corpus, and experiments/<experiment>/seed<seed>/translations/<split>.parquet.
Makes, in drafts/<experiment>/seed<seed>/, the tables of text and of analysis that the corpus has for the target:
corpus/, text/tokens, text/subwords and discourse/<analysis>/target/, by split and shard; and
structure/graphs/<analysis>/<experiment>/seed<seed>/<split>.arrow, which systems read beside the dataset.
"""


rule draft_sentences:
    input:
        sentences=f"{RESULTS}/{{corpus}}/corpus/{{split}}/{{shard}}.parquet",
        translations=rules.translate_split.output.translations,
    output:
        sentences=f"{DRAFTS}/corpus/{{split}}/{{shard}}.parquet",
    log:
        f"{DRAFT_LOGS}/draft_sentences/{{split}}/{{shard}}.log",
    benchmark:
        f"{DRAFT_BENCHMARKS}/draft_sentences/{{split}}/{{shard}}.tsv"
    conda:
        "../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000, per_megabyte=40),
        runtime=60,
    params:
        code=code("text.draft_sentences"),
    shell:
        "python -m discourse_nmt.workflow_scripts.text.draft_sentences --sentences {input.sentences:q} "
        "--translations {input.translations:q} --output {output.sentences:q} 2>&1 | tee {log:q}"


# What follows are the rules of the corpus's own text, for that of a draft.
use rule tokenise as tokenise_draft with:
    input:
        sentences=rules.draft_sentences.output.sentences,
    output:
        tokens=f"{DRAFTS}/text/tokens/{{split}}/{{shard}}.parquet",
    log:
        f"{DRAFT_LOGS}/tokenise_draft/{{split}}/{{shard}}.log",
    benchmark:
        f"{DRAFT_BENCHMARKS}/tokenise_draft/{{split}}/{{shard}}.tsv"


use rule apply_bpe as apply_bpe_to_draft with:
    input:
        tokens=rules.tokenise_draft.output.tokens,
        source_truecaser=rules.apply_bpe.input.source_truecaser,
        target_truecaser=rules.apply_bpe.input.target_truecaser,
        source_codes=rules.apply_bpe.input.source_codes,
        target_codes=rules.apply_bpe.input.target_codes,
        source_vocabulary=rules.apply_bpe.input.source_vocabulary,
        target_vocabulary=rules.apply_bpe.input.target_vocabulary,
    output:
        subwords=f"{DRAFTS}/text/subwords/{{split}}/{{shard}}.parquet",
    log:
        f"{DRAFT_LOGS}/apply_bpe_to_draft/{{split}}/{{shard}}.log",
    benchmark:
        f"{DRAFT_BENCHMARKS}/apply_bpe_to_draft/{{split}}/{{shard}}.tsv"


use rule analyse_syntax as analyse_draft_syntax with:
    output:
        table=f"{DRAFTS}/discourse/{{analysis}}/{{side}}/syntax/{{split}}/{{shard}}.parquet",
    log:
        f"{DRAFT_LOGS}/analyse_draft_syntax/{{analysis}}/{{side}}/{{split}}/{{shard}}.log",
    benchmark:
        f"{DRAFT_BENCHMARKS}/analyse_draft_syntax/{{analysis}}/{{side}}/{{split}}/{{shard}}.tsv"
    params:
        store=f"{DRAFT_STORES}/discourse/{{analysis}}/{{side}}/syntax/{{split}}/{{shard}}.sqlite",


use rule resolve_coreference as resolve_draft_coreference with:
    output:
        table=f"{DRAFTS}/discourse/{{analysis}}/{{side}}/coreference/{{split}}/{{shard}}.parquet",
    log:
        f"{DRAFT_LOGS}/resolve_draft_coreference/{{analysis}}/{{side}}/{{split}}/{{shard}}.log",
    benchmark:
        f"{DRAFT_BENCHMARKS}/resolve_draft_coreference/{{analysis}}/{{side}}/{{split}}/{{shard}}.tsv"
    params:
        store=f"{DRAFT_STORES}/discourse/{{analysis}}/{{side}}/coreference/{{split}}/{{shard}}.sqlite",


use rule build_graph as build_draft_graph with:
    input:
        unpack(graph_inputs),
        tokens=rules.tokenise_draft.output.tokens,
    output:
        table=f"{DRAFTS}/discourse/{{analysis}}/{{side}}/document_graph/{{split}}/{{shard}}.parquet",
    log:
        f"{DRAFT_LOGS}/build_draft_graph/{{analysis}}/{{side}}/{{split}}/{{shard}}.log",
    benchmark:
        f"{DRAFT_BENCHMARKS}/build_draft_graph/{{analysis}}/{{side}}/{{split}}/{{shard}}.tsv"


rule build_draft_graph_file:
    input:
        unpack(draft_tables),
        dataset=f"{RESULTS}/{{corpus}}/dataset/{{split}}.arrow",
        tokens=lambda wildcards: shards("text/tokens", wildcards.corpus, wildcards.split),
        subwords=lambda wildcards: shards("text/subwords", wildcards.corpus, wildcards.split),
        document_graph=lambda wildcards: annotation(
            wildcards.corpus, wildcards.analysis, "source", "document_graph", wildcards.split
        ),
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
        code=code("structures.build_structure", STRUCTURES["graphs"].builder),
        tables=table_options("graphs"),
    shell:
        "python -m discourse_nmt.workflow_scripts.structures.build_structure --kind graphs "
        "--dataset {input.dataset:q} --tables {params.tables:q} --output {output.structure:q} 2>&1 | tee {log:q}"
