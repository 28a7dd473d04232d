"""Training: one job per corpus, experiment and seed; interrupted jobs continue from their last checkpoint.

Requires: dataset/train.arrow, dataset/dev.arrow, the vocabularies, the model an experiment starts from, the labeller of
themes that it names, and the structure files of both splits for systems that read any.
Makes: experiments/<experiment>/seed<seed>/model.safetensors and metrics.csv. Checkpoints and TensorBoard files lie in
work/<run>/<corpus>/<experiment>/seed<seed>/, which no rule declares so that no rule removes it.
Resources: soft_runtime is the number of minutes after which training writes a checkpoint and stops, for a retry to
continue; 0 is never, which suits a machine without time limits.
"""


rule train_model:
    input:
        imported=ancient(STATISTICS),
        train=f"{RESULTS}/{{corpus}}/dataset/train.arrow",
        dev=f"{RESULTS}/{{corpus}}/dataset/dev.arrow",
        source_vocabulary=f"{RESULTS}/{{corpus}}/text/source/vocabulary.json",
        target_vocabulary=f"{RESULTS}/{{corpus}}/text/target/vocabulary.json",
        initial=initial_model,
        labeller=labeller_of,
        train_structure=lambda wildcards: structure_files(**wildcards, split="train"),
        dev_structure=lambda wildcards: structure_files(**wildcards, split="dev"),
    output:
        model=f"{RESULTS}/{{corpus}}/experiments/{{experiment}}/seed{{seed}}/model.safetensors",
        metrics=report(
            f"{RESULTS}/{{corpus}}/experiments/{{experiment}}/seed{{seed}}/metrics.csv",
            category="Learning curves",
            caption="captions/metrics.rst",
            labels={"corpus": "{corpus}", "experiment": "{experiment}", "seed": "{seed}"},
        ),
    log:
        f"{RESULTS}/logs/{{corpus}}/train/{{experiment}}/seed{{seed}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/train/{{experiment}}/seed{{seed}}.tsv"
    conda:
        "../envs/network.yaml"
    threads: config["hardware"]["threads"] * max(1, config["hardware"]["gpus"])
    resources:
        gpu=config["hardware"]["gpus"],
        processes=max(1, config["hardware"]["gpus"]),
        # A retry after a time limit needs no more memory, so it grows little.
        mem_mb=memory(max(4000, 3000 * config["hardware"]["gpus"]), per_megabyte=20, growth=2),
        runtime=1440,
        soft_runtime=0,
    params:
        system=lambda wildcards: system_of(wildcards.experiment),
        work=f"{WORK}/{{corpus}}/{{experiment}}/seed{{seed}}",
        code=lambda wildcards: system_code("train.train", wildcards.experiment),
        settings=lambda wildcards: settings("settings", wildcards.experiment),
        training=lambda wildcards: settings("training", wildcards.experiment),
        initial=lambda wildcards, input: ["--initialised-from", *input.initial] if input.initial else [],
        labeller=lambda wildcards, input: ["--labeller", *input.labeller] if input.labeller else [],
        structure=structure_options,
    # tee -i outlives Ctrl-C, so that the job can still say where it stopped.
    shell:
        "python -m discourse_nmt.workflow_scripts.train.train --system {params.system:q} --settings {params.settings:q} "
        "--training {params.training:q} --seed {wildcards.seed:q} --train {input.train:q} --dev {input.dev:q} "
        "--source-vocabulary {input.source_vocabulary:q} --target-vocabulary {input.target_vocabulary:q} "
        "{params.initial:q} {params.labeller:q} {params.structure:q} --work {params.work:q} --code {params.code:q} "
        "--threads $((({threads} + {resources.processes} - 1) / {resources.processes})) "
        "--devices {resources.processes} --time-limit {resources.soft_runtime} "
        "--output {output.model:q} --metrics {output.metrics:q} 2>&1 | tee -i {log:q}"
