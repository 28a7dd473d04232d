"""Metrics of translations as documents, and the word alignment that some of them need.

Requires: translations, the raw and tokenised references, tokens of the training split, and where the configuration names
an analysis its syntax and coreference of the test sets.
Makes: <corpus>/text/word_translations.parquet and experiments/<experiment>/seed<seed>/document_scores/<split>.tsv.
"""

if config["document_metrics"]["compute"]:
    SCORE_TABLES += run_files("document_scores/{split}.tsv")


rule learn_alignment:
    input:
        imported=ancient(STATISTICS),
        tokens=lambda wildcards: shards("text/tokens", wildcards.corpus, "train"),
    output:
        table=f"{RESULTS}/{{corpus}}/text/word_translations.parquet",
    log:
        f"{RESULTS}/logs/{{corpus}}/learn_alignment.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/learn_alignment.tsv"
    conda:
        "../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=memory(1500, fixed=1500, per_megabyte=100, most=6000),
        runtime=120,
    params:
        code=code("score.learn_alignment"),
        pairs=config["document_metrics"]["alignment_pairs"],
    shell:
        "python -m discourse_nmt.workflow_scripts.score.learn_alignment --tokens {input.tokens:q} --pairs {params.pairs} "
        "--output {output.table:q} 2>&1 | tee {log:q}"


rule score_document:
    input:
        translations=rules.translate_split.output.translations,
        sentences=lambda wildcards: shards("corpus", wildcards.corpus, wildcards.split),
        tokens=lambda wildcards: shards("text/tokens", wildcards.corpus, wildcards.split),
        dataset=f"{RESULTS}/{{corpus}}/dataset/{{split}}.arrow",
        alignment=rules.learn_alignment.output.table,
        syntax=measured_annotation("syntax"),
        coreference=measured_annotation("coreference"),
    output:
        scores=f"{RESULTS}/{{corpus}}/experiments/{{experiment}}/seed{{seed}}/document_scores/{{split}}.tsv",
    log:
        f"{RESULTS}/logs/{{corpus}}/score_document/{{experiment}}/seed{{seed}}/{{split}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/score_document/{{experiment}}/seed{{seed}}/{{split}}.tsv"
    conda:
        "../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=memory(2000),
        runtime=60,
    params:
        code=code("score.score_document"),
        # No input, as all that ships with the project: a fresh clone has it elsewhere. Its content counts.
        stop_words=lambda wildcards, output: source_stop_words(wildcards),
        stop_words_digest=lambda wildcards: files_digest(map(Path, source_stop_words(wildcards))),
        system=lambda wildcards: system_of(wildcards.experiment),
        source_language=lambda wildcards: config["corpora"][wildcards.corpus]["source_language"],
        language=lambda wildcards: config["corpora"][wildcards.corpus]["target_language"],
        lowercase=lambda wildcards: ["--lowercase"] if target_is_lowercase(wildcards.corpus) else [],
    shell:
        "python -m discourse_nmt.workflow_scripts.score.score_document --translations {input.translations:q} "
        "--sentences {input.sentences:q} --tokens {input.tokens:q} --dataset {input.dataset:q} "
        "--alignment {input.alignment:q} --syntax {input.syntax:q} --coreference {input.coreference:q} "
        "--stop-words {params.stop_words:q} --corpus {wildcards.corpus:q} --experiment {wildcards.experiment:q} "
        "--system {params.system:q} --seed {wildcards.seed:q} --test-set {wildcards.split:q} "
        "--source-language {params.source_language:q} --language {params.language:q} {params.lowercase:q} "
        "--output {output.scores:q} 2>&1 | tee {log:q}"
