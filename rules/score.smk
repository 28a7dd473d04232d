"""Scores: sacrebleu metrics and contrastive accuracy of every training run, then one table of all.

Requires: translations, the raw and tokenised references, and the contrastive items that the configuration names.
Makes: experiments/<experiment>/seed<seed>/scores/<split>.tsv, results/<run>/scores.tsv and scores.md. Other rules add
their score tables to SCORE_TABLES (rules/common.smk), and the last two hold them too.
"""

SCORE_TABLES += run_files("scores/{split}.tsv")


# Looked up before any job: Snakemake takes a missing input for one that is done with where the output exists.
CONTRASTIVE = {
    name: {split: contrastive_file(name, split) for split in corpus["contrastive"]}
    for name, corpus in config["corpora"].items()
}


rule score_contrastive:
    input:
        imported=ancient(STATISTICS),
        contrastive=lambda wildcards: CONTRASTIVE[wildcards.corpus][wildcards.split],
        model=rules.train_model.output.model,
        dataset=f"{RESULTS}/{{corpus}}/dataset/{{split}}.arrow",
        structure=decoding_structure,
        source_vocabulary=f"{RESULTS}/{{corpus}}/text/source/vocabulary.json",
        target_vocabulary=f"{RESULTS}/{{corpus}}/text/target/vocabulary.json",
        target_truecaser=f"{RESULTS}/{{corpus}}/text/target/truecase.json",
        target_codes=f"{RESULTS}/{{corpus}}/text/target/bpe.json",
    output:
        scores=f"{RESULTS}/{{corpus}}/experiments/{{experiment}}/seed{{seed}}/contrastive/{{split}}.parquet",
    log:
        f"{RESULTS}/logs/{{corpus}}/score_contrastive/{{experiment}}/seed{{seed}}/{{split}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/score_contrastive/{{experiment}}/seed{{seed}}/{{split}}.tsv"
    conda:
        "../envs/network.yaml"
    threads: 1
    resources:
        gpu=min(1, config["hardware"]["gpus"]),
        mem_mb=memory(4000),
        runtime=240,
    params:
        code=lambda wildcards: system_code(
            "score.score_contrastive", wildcards.experiment, *subword_modules(wildcards.corpus)
        ),
        structure=structure_option,
        settings=lambda wildcards: settings("scoring", wildcards.experiment),
        text=lambda wildcards: settings("text", wildcards.corpus),
    shell:
        "python -m discourse_nmt.workflow_scripts.score.score_contrastive --items {input.contrastive:q} --model {input.model:q} "
        "--dataset {input.dataset:q} {params.structure:q} --source-vocabulary {input.source_vocabulary:q} "
        "--target-vocabulary {input.target_vocabulary:q} --target-truecaser {input.target_truecaser:q} "
        "--target-codes {input.target_codes:q} --settings {params.settings:q} --text-settings {params.text:q} "
        "--threads {threads} --output {output.scores:q} 2>&1 | tee {log:q}"


rule score_run:
    input:
        translations=rules.translate_split.output.translations,
        sentences=lambda wildcards: shards("corpus", wildcards.corpus, wildcards.split),
        tokens=lambda wildcards: shards("text/tokens", wildcards.corpus, wildcards.split),
        dataset=f"{RESULTS}/{{corpus}}/dataset/{{split}}.arrow",
        contrastive=contrastive_scores,
    output:
        scores=f"{RESULTS}/{{corpus}}/experiments/{{experiment}}/seed{{seed}}/scores/{{split}}.tsv",
    log:
        f"{RESULTS}/logs/{{corpus}}/score/{{experiment}}/seed{{seed}}/{{split}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/score/{{experiment}}/seed{{seed}}/{{split}}.tsv"
    conda:
        "../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=memory(2000),
        runtime=60,
    params:
        code=code("score.score"),
        system=lambda wildcards: system_of(wildcards.experiment),
        language=lambda wildcards: config["corpora"][wildcards.corpus]["target_language"],
        lowercase=lambda wildcards: ["--lowercase"] if target_is_lowercase(wildcards.corpus) else [],
    shell:
        "python -m discourse_nmt.workflow_scripts.score.score --translations {input.translations:q} --sentences {input.sentences:q} "
        "--tokens {input.tokens:q} --dataset {input.dataset:q} --corpus {wildcards.corpus:q} "
        "--experiment {wildcards.experiment:q} --system {params.system:q} --seed {wildcards.seed:q} "
        "--test-set {wildcards.split:q} --language {params.language:q} {params.lowercase:q} "
        "--contrastive {input.contrastive:q} --output {output.scores:q} 2>&1 | tee {log:q}"


rule collect_scores:
    input:
        imported=ancient(expand(STATISTICS, corpus=used_corpora())),
        scores=lambda wildcards: SCORE_TABLES,
    output:
        table=report(f"{RESULTS}/scores.tsv", category="Scores", caption="captions/scores.rst"),
        markdown=f"{RESULTS}/scores.md",
    log:
        f"{RESULTS}/logs/collect_scores.log",
    benchmark:
        f"{RESULTS}/benchmarks/collect_scores.tsv"
    conda:
        "../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000),
        runtime=10,
    params:
        code=code("score.collect_scores"),
    shell:
        "python -m discourse_nmt.workflow_scripts.score.collect_scores --scores {input.scores:q} --output {output.table:q} "
        "--markdown {output.markdown:q} 2>&1 | tee {log:q}"
