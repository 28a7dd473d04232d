"""From sentences to subword ids: tokens, truecasing models, subwords, vocabularies, datasets.

Requires: results/<run>/<corpus>/corpus/<split>/<shard>.parquet, and the directory text.pretrained where there is one.
Makes: text/tokens and text/subwords by split and shard, text/<side>/truecase.json, text/<side>/bpe.json and
text/<side>/vocabulary.json, and dataset/<split>.arrow.
"""

# Looked up before any job, so that a missing file is one line.
CHECKPOINTS = {name: checkpoint(name) for name in config["corpora"]}


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
        "../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000, per_megabyte=40),
        runtime=60,
    params:
        code=code("text.tokenise"),
        settings=lambda wildcards: settings("tokenise", wildcards.corpus),
    shell:
        "python -m discourse_nmt.workflow_scripts.text.tokenise --sentences {input.sentences:q} --settings {params.settings:q} "
        "--output {output.tokens:q} 2>&1 | tee {log:q}"


rule train_truecaser:
    input:
        imported=ancient(STATISTICS),
        tokens=lambda wildcards: shards("text/tokens", wildcards.corpus, "train"),
    output:
        model=f"{RESULTS}/{{corpus}}/text/{{side}}/truecase.json",
    log:
        f"{RESULTS}/logs/{{corpus}}/train_truecaser/{{side}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/train_truecaser/{{side}}.tsv"
    conda:
        "../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000, per_megabyte=40),
        runtime=60,
    params:
        code=code("text.train_truecaser"),
        settings=lambda wildcards: settings("text", wildcards.corpus),
    shell:
        "python -m discourse_nmt.workflow_scripts.text.train_truecaser --tokens {input.tokens:q} --side {wildcards.side:q} "
        "--settings {params.settings:q} --output {output.model:q} 2>&1 | tee {log:q}"


rule learn_bpe:
    input:
        imported=ancient(STATISTICS),
        tokens=lambda wildcards: shards("text/tokens", wildcards.corpus, "train"),
        source_truecaser=f"{RESULTS}/{{corpus}}/text/source/truecase.json",
        target_truecaser=f"{RESULTS}/{{corpus}}/text/target/truecase.json",
        pretrained=lambda wildcards: CHECKPOINTS[wildcards.corpus]["subwords"],
    output:
        source_codes=f"{RESULTS}/{{corpus}}/text/source/bpe.json",
        target_codes=f"{RESULTS}/{{corpus}}/text/target/bpe.json",
        source_vocabulary=f"{RESULTS}/{{corpus}}/text/source/vocabulary.json",
        target_vocabulary=f"{RESULTS}/{{corpus}}/text/target/vocabulary.json",
    log:
        f"{RESULTS}/logs/{{corpus}}/learn_bpe.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/learn_bpe.tsv"
    conda:
        "../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=memory(2000, per_megabyte=60),
        runtime=240,
    params:
        code=lambda wildcards: code("text.learn_bpe", *subword_modules(wildcards.corpus)),
        settings=lambda wildcards: settings("text", wildcards.corpus),
    shell:
        "python -m discourse_nmt.workflow_scripts.text.learn_bpe --tokens {input.tokens:q} --settings {params.settings:q} "
        "--source-truecaser {input.source_truecaser:q} --source-codes {output.source_codes:q} "
        "--source-vocabulary {output.source_vocabulary:q} --target-truecaser {input.target_truecaser:q} "
        "--target-codes {output.target_codes:q} --target-vocabulary {output.target_vocabulary:q} 2>&1 | tee {log:q}"


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
        code=lambda wildcards: code("text.apply_bpe", *subword_modules(wildcards.corpus)),
        settings=lambda wildcards: settings("text", wildcards.corpus),
    shell:
        "python -m discourse_nmt.workflow_scripts.text.apply_bpe --tokens {input.tokens:q} --settings {params.settings:q} "
        "--source-truecaser {input.source_truecaser:q} --source-codes {input.source_codes:q} "
        "--source-vocabulary {input.source_vocabulary:q} --target-truecaser {input.target_truecaser:q} "
        "--target-codes {input.target_codes:q} --target-vocabulary {input.target_vocabulary:q} "
        "--output {output.subwords:q} 2>&1 | tee {log:q}"


rule build_dataset:
    input:
        imported=ancient(STATISTICS),
        subwords=lambda wildcards: shards("text/subwords", wildcards.corpus, wildcards.split),
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
        mem_mb=memory(1000, per_megabyte=40, shards=shard_count),
        runtime=60,
    params:
        code=code("text.build_dataset"),
    shell:
        "python -m discourse_nmt.workflow_scripts.text.build_dataset --subwords {input.subwords:q} --output {output.dataset:q} "
        "2>&1 | tee {log:q}"
