"""From sentences to subword ids: tokens, truecasing models, subwords, vocabularies, datasets; the same for drafts.

Requires: results/<run>/<corpus>/corpus/<split>/<shard>.parquet, and the directory text.pretrained where there is one.
Makes: text/tokens and text/subwords by split and shard, text/<side>/truecase.json, text/<side>/bpe.json and
text/<side>/vocabulary.json, and dataset/<split>.arrow; pretrained/model.safetensors, the sentence Transformer with the
weights of the checkpoint. A draft has the translations of all splits by a first stage, in the place of the target:
drafts/<experiment>/seed<seed>/ has corpus/, text/tokens and text/subwords of its own.
"""


rule tokenise:
    input:
        sentences=f"{RESULTS}/{{corpus}}/corpus/{{split}}/{{shard}}.parquet",
    output:
        tokens=f"{RESULTS}/{{corpus}}/text/tokens/{{split}}/{{shard}}.parquet",
    log:
        f"{RESULTS}/logs/{{corpus}}/tokenise/{{split}}/{{shard}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/tokenise/{{split}}/{{shard}}.tsv"
    conda:
        plan.corpora.tokeniser_environment
    threads: 1
    resources:
        mem_mb=memory(1000, per_megabyte=40),
        runtime=60,
    params:
        code=plan.parameters.tokeniser_code("text.tokenise"),
        files=plan.corpora.tokeniser_digest,
        settings=plan.parameters.settings("tokenise"),
    shell:
        "python -m discourse_nmt.workflow_scripts.text.tokenise --sentences {input.sentences:q} --settings {params.settings:q} "
        "--output {output.tokens:q} 2>&1 | tee {log:q}"


rule train_truecaser:
    input:
        imported=ancient(STATISTICS),
        tokens=plan.files.all_shards("text/tokens", "train"),
    output:
        model=f"{RESULTS}/{{corpus}}/text/{{side}}/truecase.json",
    log:
        f"{RESULTS}/logs/{{corpus}}/train_truecaser/{{side}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/train_truecaser/{{side}}.tsv"
    wildcard_constraints:
        corpus=plan.corpora.regex(own_text=True),
    conda:
        "../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000, per_megabyte=40, most=4000),
        runtime=60,
    params:
        code=code("text.train_truecaser"),
        pairs=plan.corpora.text_pairs,
        settings=plan.parameters.settings("text"),
    shell:
        "python -m discourse_nmt.workflow_scripts.text.train_truecaser --tokens {input.tokens:q} --side {wildcards.side:q} "
        "--pairs {params.pairs} --settings {params.settings:q} --output {output.model:q} 2>&1 | tee {log:q}"


rule learn_bpe:
    input:
        imported=ancient(STATISTICS),
        tokens=plan.files.all_shards("text/tokens", "train"),
        source_truecaser=f"{RESULTS}/{{corpus}}/text/source/truecase.json",
        target_truecaser=f"{RESULTS}/{{corpus}}/text/target/truecase.json",
        pretrained=plan.corpora.pretrained_subwords,
    output:
        source_codes=f"{RESULTS}/{{corpus}}/text/source/bpe.json",
        target_codes=f"{RESULTS}/{{corpus}}/text/target/bpe.json",
        source_vocabulary=f"{RESULTS}/{{corpus}}/text/source/vocabulary.json",
        target_vocabulary=f"{RESULTS}/{{corpus}}/text/target/vocabulary.json",
    log:
        f"{RESULTS}/logs/{{corpus}}/learn_bpe.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/learn_bpe.tsv"
    wildcard_constraints:
        corpus=plan.corpora.regex(own_text=True),
    conda:
        "../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=memory(2000, per_megabyte=60, most=8000),
        runtime=240,
    params:
        code=plan.parameters.subword_code("text.learn_bpe"),
        pairs=plan.corpora.text_pairs,
        settings=plan.parameters.settings("text"),
    shell:
        "python -m discourse_nmt.workflow_scripts.text.learn_bpe --tokens {input.tokens:q} --pairs {params.pairs} --settings {params.settings:q} "
        "--source-truecaser {input.source_truecaser:q} --source-codes {output.source_codes:q} "
        "--source-vocabulary {output.source_vocabulary:q} --target-truecaser {input.target_truecaser:q} "
        "--target-codes {output.target_codes:q} --target-vocabulary {output.target_vocabulary:q} 2>&1 | tee {log:q}"


# Truecasing, subwords and vocabularies of another corpus, so that a model of that corpus can go on learning on this one.
rule take_text:
    input:
        files=plan.corpora.text_files,
    output:
        files=[f"{RESULTS}/{{corpus}}/text/{name}" for name in TEXT_FILES],
    log:
        f"{RESULTS}/logs/{{corpus}}/take_text.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/take_text.tsv"
    wildcard_constraints:
        corpus=plan.corpora.regex(own_text=False),
    conda:
        "../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=memory(500),
        runtime=30,
    params:
        code=code("corpus.take_over"),
    shell:
        "python -m discourse_nmt.workflow_scripts.corpus.take_over --files {input.files:q} --output {output.files:q} "
        "2>&1 | tee {log:q}"


rule apply_bpe:
    input:
        imported=ancient(STATISTICS),
        tokens=f"{RESULTS}/{{corpus}}/text/tokens/{{split}}/{{shard}}.parquet",
        source_truecaser=f"{RESULTS}/{{corpus}}/text/source/truecase.json",
        target_truecaser=f"{RESULTS}/{{corpus}}/text/target/truecase.json",
        source_codes=f"{RESULTS}/{{corpus}}/text/source/bpe.json",
        target_codes=f"{RESULTS}/{{corpus}}/text/target/bpe.json",
        source_vocabulary=f"{RESULTS}/{{corpus}}/text/source/vocabulary.json",
        target_vocabulary=f"{RESULTS}/{{corpus}}/text/target/vocabulary.json",
    output:
        subwords=f"{RESULTS}/{{corpus}}/text/subwords/{{split}}/{{shard}}.parquet",
    log:
        f"{RESULTS}/logs/{{corpus}}/apply_bpe/{{split}}/{{shard}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/apply_bpe/{{split}}/{{shard}}.tsv"
    conda:
        "../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000, per_megabyte=40),
        runtime=60,
    params:
        code=plan.parameters.subword_code("text.apply_bpe"),
        settings=plan.parameters.settings("text"),
    shell:
        "python -m discourse_nmt.workflow_scripts.text.apply_bpe --tokens {input.tokens:q} --settings {params.settings:q} "
        "--source-truecaser {input.source_truecaser:q} --source-codes {input.source_codes:q} "
        "--source-vocabulary {input.source_vocabulary:q} --target-truecaser {input.target_truecaser:q} "
        "--target-codes {input.target_codes:q} --target-vocabulary {input.target_vocabulary:q} "
        "--output {output.subwords:q} 2>&1 | tee {log:q}"


rule build_dataset:
    input:
        imported=ancient(STATISTICS),
        subwords=plan.files.all_shards("text/subwords"),
    output:
        dataset=f"{RESULTS}/{{corpus}}/dataset/{{split}}.arrow",
    log:
        f"{RESULTS}/logs/{{corpus}}/build_dataset/{{split}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/build_dataset/{{split}}.tsv"
    conda:
        "../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000, per_megabyte=40, shards=plan.corpora.shard_count),
        runtime=60,
    params:
        code=code("text.build_dataset"),
        cut_by=plan.corpora.cut_by,
    shell:
        "python -m discourse_nmt.workflow_scripts.text.build_dataset --subwords {input.subwords:q} --cut-by {params.cut_by} "
        "--output {output.dataset:q} "
        "2>&1 | tee {log:q}"


rule import_pretrained:
    input:
        subwords=plan.corpora.pretrained_subwords,
        network=plan.corpora.pretrained_network,
        source_vocabulary=f"{RESULTS}/{{corpus}}/text/source/vocabulary.json",
        target_vocabulary=f"{RESULTS}/{{corpus}}/text/target/vocabulary.json",
    output:
        model=f"{RESULTS}/{{corpus}}/pretrained/model.safetensors",
    log:
        f"{RESULTS}/logs/{{corpus}}/import_pretrained.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/import_pretrained.tsv"
    conda:
        "../envs/network.yaml"
    threads: 1
    resources:
        mem_mb=memory(2000, per_megabyte=5),
        runtime=60,
    params:
        code=plan.parameters.subword_code("text.import_pretrained"),
        text=plan.parameters.settings("text"),
    shell:
        "python -m discourse_nmt.workflow_scripts.text.import_pretrained --text-settings {params.text:q} "
        "--source-vocabulary {input.source_vocabulary:q} --target-vocabulary {input.target_vocabulary:q} "
        "--output {output.model:q} 2>&1 | tee {log:q}"


rule draft_sentences:
    input:
        sentences=f"{RESULTS}/{{corpus}}/corpus/{{split}}/{{shard}}.parquet",
        translations=f"{RUN}/translations/{{split}}.parquet",
    output:
        sentences=f"{DRAFT}/corpus/{{split}}/{{shard}}.parquet",
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


# The rules of the corpus's own text, for the text of a draft.
use rule tokenise as tokenise_draft with:
    input:
        sentences=rules.draft_sentences.output.sentences,
    output:
        tokens=f"{DRAFT}/text/tokens/{{split}}/{{shard}}.parquet",
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
        subwords=f"{DRAFT}/text/subwords/{{split}}/{{shard}}.parquet",
    log:
        f"{DRAFT_LOGS}/apply_bpe_to_draft/{{split}}/{{shard}}.log",
    benchmark:
        f"{DRAFT_BENCHMARKS}/apply_bpe_to_draft/{{split}}/{{shard}}.tsv"
