"""Translation of every test set by every trained model.

Requires: experiments/<experiment>/seed<seed>/model.safetensors and dataset/<split>.arrow.
Makes: experiments/<experiment>/seed<seed>/translations/<split>.parquet.
"""


rule translate_split:
    input:
        model=rules.train_model.output.model,
        dataset=f"{RESULTS}/{{corpus}}/dataset/{{split}}.arrow",
        vocabularies=expand(f"{RESULTS}/{{{{corpus}}}}/text/{{side}}/vocabulary.json", side=SIDES),
    output:
        translations=f"{RESULTS}/{{corpus}}/experiments/{{experiment}}/seed{{seed}}/translations/{{split}}.parquet",
    log:
        f"{RESULTS}/logs/{{corpus}}/translate/{{experiment}}/seed{{seed}}/{{split}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/translate/{{experiment}}/seed{{seed}}/{{split}}.tsv"
    params:
        code=lambda wildcards: code("translate", SYSTEMS[system_of(wildcards.experiment)].module),
        settings=lambda wildcards: settings("decoding", wildcards.experiment),
        text=lambda wildcards: settings("text", wildcards.corpus),
    threads: 2
    resources:
        mem_mb=4000,
        runtime=480,
    shell:
        "python -m workflow_scripts.translate --model {input.model:q} --dataset {input.dataset:q} "
        "--source-vocabulary {input.vocabularies[0]:q} --target-vocabulary {input.vocabularies[1]:q} "
        "--settings {params.settings:q} --text-settings {params.text:q} --threads {threads} "
        "--output {output.translations:q} 2>&1 | tee {log:q}"
