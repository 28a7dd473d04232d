"""Significance: every run beside its baseline's, and every experiment of several seeds beside its baseline's seeds.

Requires: translations of both, the raw and tokenised references; contrastive items and their scores by both.
Makes: experiments/<experiment>/seed<seed>/significance/<split>.tsv of translations, contrastive_significance/<split>.tsv
of contrastive accuracy, and both without seed<seed>/ over all seeds.
"""

SCORE_TABLES += significance_tables("significance", test_sets)
SCORE_TABLES += significance_tables("contrastive_significance", contrastive_sets)


rule compare_translations:
    input:
        translations=own_files("translations"),
        baseline=baseline_files("translations"),
        sentences=lambda wildcards: shards("corpus", wildcards.corpus, wildcards.split),
        tokens=lambda wildcards: shards("text/tokens", wildcards.corpus, wildcards.split),
        dataset=f"{RESULTS}/{{corpus}}/dataset/{{split}}.arrow",
    output:
        scores=f"{RESULTS}/{{corpus}}/experiments/{{experiment}}/seed{{seed}}/significance/{{split}}.tsv",
    log:
        f"{RESULTS}/logs/{{corpus}}/compare_translations/{{experiment}}/seed{{seed}}/{{split}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/compare_translations/{{experiment}}/seed{{seed}}/{{split}}.tsv"
    conda:
        "../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=memory(4000),
        runtime=120,
    params:
        code=code("score.compare_translations"),
        system=lambda wildcards: system_of(wildcards.experiment),
        seeds=compared_seeds,
        samples=config["significance"]["samples"],
        trials=config["significance"]["trials"],
        random_seed=config["significance"]["seed"],
        language=lambda wildcards: config["corpora"][wildcards.corpus]["target_language"],
        lowercase=lambda wildcards: ["--lowercase"] if target_is_lowercase(wildcards.corpus) else [],
    shell:
        "python -m discourse_nmt.workflow_scripts.score.compare_translations --translations {input.translations:q} "
        "--baseline-translations {input.baseline:q} {params.seeds:q} --sentences {input.sentences:q} "
        "--tokens {input.tokens:q} --dataset {input.dataset:q} --language {params.language:q} {params.lowercase:q} "
        "--samples {params.samples} --trials {params.trials} --random-seed {params.random_seed} "
        "--corpus {wildcards.corpus:q} --experiment {wildcards.experiment:q} --system {params.system:q} "
        "--test-set {wildcards.split:q} --output {output.scores:q} 2>&1 | tee {log:q}"


rule compare_accuracy:
    input:
        imported=ancient(STATISTICS),
        asked=lambda wildcards: CONTRASTIVE[wildcards.corpus][wildcards.split],
        contrastive=own_files("contrastive"),
        baseline=baseline_files("contrastive"),
    output:
        scores=f"{RESULTS}/{{corpus}}/experiments/{{experiment}}/seed{{seed}}/contrastive_significance/{{split}}.tsv",
    log:
        f"{RESULTS}/logs/{{corpus}}/compare_accuracy/{{experiment}}/seed{{seed}}/{{split}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/compare_accuracy/{{experiment}}/seed{{seed}}/{{split}}.tsv"
    conda:
        "../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=memory(2000),
        runtime=30,
    params:
        code=code("score.compare_accuracy"),
        system=lambda wildcards: system_of(wildcards.experiment),
        seeds=compared_seeds,
    shell:
        "python -m discourse_nmt.workflow_scripts.score.compare_accuracy --items {input.asked:q} --contrastive {input.contrastive:q} "
        "--baseline-contrastive {input.baseline:q} {params.seeds:q} --corpus {wildcards.corpus:q} "
        "--experiment {wildcards.experiment:q} --system {params.system:q} --test-set {wildcards.split:q} "
        "--output {output.scores:q} 2>&1 | tee {log:q}"


# The same over all seeds of an experiment: without the wildcard seed, inputs and parameters are those of every seed.
use rule compare_translations as compare_translations_over_seeds with:
    output:
        scores=f"{RESULTS}/{{corpus}}/experiments/{{experiment}}/significance/{{split}}.tsv",
    log:
        f"{RESULTS}/logs/{{corpus}}/compare_translations_over_seeds/{{experiment}}/{{split}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/compare_translations_over_seeds/{{experiment}}/{{split}}.tsv"


use rule compare_accuracy as compare_accuracy_over_seeds with:
    output:
        scores=f"{RESULTS}/{{corpus}}/experiments/{{experiment}}/contrastive_significance/{{split}}.tsv",
    log:
        f"{RESULTS}/logs/{{corpus}}/compare_accuracy_over_seeds/{{experiment}}/{{split}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/compare_accuracy_over_seeds/{{experiment}}/{{split}}.tsv"
