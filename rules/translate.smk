"""Translation of every test set by every trained model.

Requires: experiments/<experiment>/seed<seed>/model.safetensors, dataset/<split>.arrow, and the structure file of the
split for systems that read trees of discourse units.
Makes: experiments/<experiment>/seed<seed>/translations/<split>.parquet.
"""


rule translate_split:
    input:
        imported=ancient(STATISTICS),
        model=rules.train_model.output.model,
        dataset=f"{RESULTS}/{{corpus}}/dataset/{{split}}.arrow",
        structure=decoding_structure,
        source_vocabulary=f"{RESULTS}/{{corpus}}/text/source/vocabulary.json",
        target_vocabulary=f"{RESULTS}/{{corpus}}/text/target/vocabulary.json",
    output:
        translations=f"{RESULTS}/{{corpus}}/experiments/{{experiment}}/seed{{seed}}/translations/{{split}}.parquet",
    log:
        f"{RESULTS}/logs/{{corpus}}/translate/{{experiment}}/seed{{seed}}/{{split}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/translate/{{experiment}}/seed{{seed}}/{{split}}.tsv"
    conda:
        "../envs/network.yaml"
    threads: config["hardware"]["threads"]
    resources:
        gpu=min(1, config["hardware"]["gpus"]),
        mem_mb=memory(4000),
        runtime=480,
    params:
        code=lambda wildcards: system_code("train.translate", wildcards.experiment, *subword_modules(wildcards.corpus)),
        structure=structure_option,
        settings=lambda wildcards: settings("decoding", wildcards.experiment),
        text=lambda wildcards: settings("text", wildcards.corpus),
    shell:
        "python -m discourse_nmt.workflow_scripts.train.translate --model {input.model:q} --dataset {input.dataset:q} {params.structure:q} "
        "--source-vocabulary {input.source_vocabulary:q} --target-vocabulary {input.target_vocabulary:q} "
        "--settings {params.settings:q} --text-settings {params.text:q} --threads {threads} "
        "--output {output.translations:q} 2>&1 | tee {log:q}"
