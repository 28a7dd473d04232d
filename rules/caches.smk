"""What the cache of a trained model of system theme_rheme_cache holds before each sentence of a test set.

Requires: experiments/<experiment>/seed<seed>/model.safetensors, dataset/<split>.arrow, structure/cache_words/<split>.arrow.
Makes: experiments/<experiment>/seed<seed>/cache/<split>.tsv, a row for each sentence and cached word, and <split>.html, a
page of the first documents.
"""


rule show_cache:
    input:
        imported=ancient(STATISTICS),
        model=rules.train_model.output.model,
        dataset=f"{RESULTS}/{{corpus}}/dataset/{{split}}.arrow",
        structure=decoding_structure,
        source_vocabulary=f"{RESULTS}/{{corpus}}/text/source/vocabulary.json",
        target_vocabulary=f"{RESULTS}/{{corpus}}/text/target/vocabulary.json",
    output:
        table=f"{RESULTS}/{{corpus}}/experiments/{{experiment}}/seed{{seed}}/cache/{{split}}.tsv",
        page=f"{RESULTS}/{{corpus}}/experiments/{{experiment}}/seed{{seed}}/cache/{{split}}.html",
    log:
        f"{RESULTS}/logs/{{corpus}}/show_cache/{{experiment}}/seed{{seed}}/{{split}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/show_cache/{{experiment}}/seed{{seed}}/{{split}}.tsv"
    conda:
        "../envs/network.yaml"
    threads: config["hardware"]["threads"]
    resources:
        gpu=min(1, config["hardware"]["gpus"]),
        mem_mb=memory(4000),
        runtime=240,
    params:
        code=lambda wildcards: system_code("train.show_cache", wildcards.experiment, *subword_modules(wildcards.corpus)),
        # No inputs, as all that ships with the project: a fresh clone has them elsewhere. Their content counts.
        templates=lambda wildcards: files_digest(CACHE_TEMPLATES),
        structure=structure_option,
        settings=lambda wildcards: settings("scoring", wildcards.experiment),
        text=lambda wildcards: settings("text", wildcards.corpus),
        title=lambda wildcards: "Cache of {experiment}, seed {seed}, on {split} of {corpus}".format(**wildcards),
    shell:
        "python -m discourse_nmt.workflow_scripts.train.show_cache --model {input.model:q} --dataset {input.dataset:q} "
        "{params.structure:q} --source-vocabulary {input.source_vocabulary:q} "
        "--target-vocabulary {input.target_vocabulary:q} --settings {params.settings:q} "
        "--text-settings {params.text:q} --threads {threads} --title {params.title:q} "
        "--table {output.table:q} --page {output.page:q} 2>&1 | tee {log:q}"
