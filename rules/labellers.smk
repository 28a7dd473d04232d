"""Labellers of themes and rhemes: what they learn from, and their training.

Requires: a labelled corpus, or text/tokens and the themes of an analysis; the vocabularies, and the model whose encoder a
labeller reads.
Makes: labellers/<labeller>/words/<split>.parquet (labelled words), and in labellers/<labeller>/<experiment>/seed<seed>/
labeller.safetensors, scores.tsv, confusion.svg and its numbers in confusion.tsv. Checkpoints lie in
work/<run>/<corpus>/labellers/, which no rule declares so that no rule removes them.
"""


rule import_labelled_words:
    input:
        plan.labellers.imported_sources,
    output:
        **{
            split: f"{RESULTS}/{{corpus}}/labellers/{{labeller}}/words/{split}.parquet"
            for split in ("train", "dev", "test")
        },
    log:
        f"{RESULTS}/logs/{{corpus}}/import_labelled_words/{{labeller}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/import_labelled_words/{{labeller}}.tsv"
    wildcard_constraints:
        labeller=plan.labellers.regex(imported=True),
    conda:
        "../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=memory(2000),
        runtime=60,
    params:
        code=code("train.import_labelled_words"),
        settings=plan.labellers.import_settings,
    shell:
        "python -m discourse_nmt.workflow_scripts.train.import_labelled_words --settings {params.settings:q} --train {output.train:q} "
        "--dev {output.dev:q} --test {output.test:q} 2>&1 | tee {log:q}"


rule label_words:
    input:
        tokens=plan.files.all_shards("text/tokens"),
        themes=plan.labellers.themes,
    output:
        words=f"{RESULTS}/{{corpus}}/labellers/{{labeller}}/words/{{split}}.parquet",
    log:
        f"{RESULTS}/logs/{{corpus}}/label_words/{{labeller}}/{{split}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/label_words/{{labeller}}/{{split}}.tsv"
    wildcard_constraints:
        labeller=plan.labellers.regex(imported=False),
    conda:
        "../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=memory(2000, fixed=1000, per_megabyte=100, shards=plan.corpora.shard_count),
        runtime=60,
    params:
        code=code("train.label_words"),
    shell:
        "python -m discourse_nmt.workflow_scripts.train.label_words --tokens {input.tokens:q} --themes {input.themes:q} "
        "--output {output.words:q} 2>&1 | tee {log:q}"


rule train_labeller:
    input:
        train=plan.labellers.words("train"),
        dev=plan.labellers.words("dev"),
        test=plan.labellers.test_words,
        model=plan.labellers.model,
        source_vocabulary=f"{RESULTS}/{{corpus}}/text/source/vocabulary.json",
        target_vocabulary=f"{RESULTS}/{{corpus}}/text/target/vocabulary.json",
        source_truecaser=f"{RESULTS}/{{corpus}}/text/source/truecase.json",
        source_codes=f"{RESULTS}/{{corpus}}/text/source/bpe.json",
    output:
        labeller=f"{LABELLER}/labeller.safetensors",
        scores=f"{LABELLER}/scores.tsv",
        confusion=f"{LABELLER}/confusion.tsv",
        drawing=f"{LABELLER}/confusion.svg",
    log:
        f"{RESULTS}/logs/{{corpus}}/train_labeller/{{labeller}}/{{experiment}}/seed{{seed}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/train_labeller/{{labeller}}/{{experiment}}/seed{{seed}}.tsv"
    conda:
        "../envs/stanza.yaml"
    threads: HARDWARE.threads
    resources:
        gpu=min(1, GPUS),
        device=DEVICE,
        mem_mb=memory(6000, fixed=4000, per_megabyte=20),
        runtime=480,
        soft_runtime=0,
    params:
        work=f"{WORK}/{{corpus}}/labellers/{{labeller}}/{{experiment}}/seed{{seed}}",
        code=plan.labellers.code,
        text=plan.parameters.settings("text"),
        settings=plan.labellers.settings,
        training=plan.labellers.training,
        model=lambda wildcards, input: ["--model", *input.model] if input.model else [],
    shell:
        "python -m discourse_nmt.workflow_scripts.train.train_labeller --train {input.train:q} --dev {input.dev:q} --test {input.test:q} "
        "{params.model:q} --source-vocabulary {input.source_vocabulary:q} "
        "--target-vocabulary {input.target_vocabulary:q} --source-truecaser {input.source_truecaser:q} "
        "--source-codes {input.source_codes:q} --text-settings {params.text:q} --settings {params.settings:q} "
        "--training {params.training:q} --seed {wildcards.seed:q} --corpus {wildcards.corpus:q} "
        "--experiment {wildcards.experiment:q} --labeller {wildcards.labeller:q} --work {params.work:q} "
        "--code {params.code:q} --threads {threads} --device {resources.device} --time-limit {resources.soft_runtime} "
        "--output {output.labeller:q} --scores {output.scores:q} --confusion {output.confusion:q} "
        "--drawing {output.drawing:q} 2>&1 | tee -i {log:q}"
