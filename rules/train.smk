"""Training and translation: one job per corpus, experiment and seed; interrupted jobs continue from their last checkpoint.

Requires: dataset/<split>.arrow, the vocabularies, the model that an experiment starts from or is taken from, the labeller
of themes that it names, and the structure files of the splits for systems that read any.
Makes: for decodings with a shortlist text/subword_translations.safetensors;
experiments/<experiment>/seed<seed>/model.safetensors and metrics.csv, trained, or taken over for a key decodings or from a
model folder (taken_from); where decoding has a value `tuned`, tuned_decoding/dev.json, that value for the model;
translations/<split>.parquet and on demand
the folder model/ with all that the translation of new text needs (docs/reference/model-folder.md); for the system
theme_rheme_cache on demand cache/<split>.tsv, what the cache holds before each sentence, and <split>.html, a page
of the first documents. Checkpoints and TensorBoard files lie in work/<run>/<corpus>/<experiment>/seed<seed>/, which no
rule declares so that no rule removes them.
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
        initial=plan.runs.initial_model,
        labeller=plan.labellers.of_run,
        train_structure=plan.structures.of_split("train"),
        dev_structure=plan.structures.of_split("dev"),
    output:
        model=f"{RUN}/model.safetensors",
        metrics=report(
            f"{RUN}/metrics.csv",
            category="Learning curves",
            caption="captions/metrics.rst",
            labels={"corpus": "{corpus}", "experiment": "{experiment}", "seed": "{seed}"},
        ),
    log:
        f"{RESULTS}/logs/{{corpus}}/train/{{experiment}}/seed{{seed}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/train/{{experiment}}/seed{{seed}}.tsv"
    wildcard_constraints:
        experiment=names_regex(plan.runs.trained_experiments()),
    conda:
        "../envs/network.yaml"
    threads: HARDWARE.threads * PROCESSES
    resources:
        gpu=GPUS * NODES,
        device=DEVICE,
        processes=PROCESSES,
        nodes=NODES,
        sparing=SPARING,
        # For Slurm's executor: the job calls srun itself, with a task on each node, which all have as many GPUs.
        mpi="srun" if NODES > 1 else None,
        tasks=NODES if NODES > 1 else None,
        tasks_per_gpu=0 if NODES > 1 else None,
        slurm_extra=f"--gpus-per-node={GPUS}" if NODES > 1 and GPUS else None,
        # A retry after a time limit needs no more memory, so it grows little.
        mem_mb=memory(
            max(4000, 3000 * PROCESSES),
            estimated=training_megabytes(configuration, plan.parameters, PROCESSES),
            growth=2,
        ),
        runtime=1440,
        soft_runtime=0,
    params:
        system=plan.runs.system,
        work=f"{WORK}/{{corpus}}/{{experiment}}/seed{{seed}}",
        code=plan.parameters.system_code("train.train"),
        settings=plan.parameters.settings("settings"),
        training=plan.parameters.settings("training"),
        initial=lambda wildcards, input: ["--initialised-from", *input.initial] if input.initial else [],
        labeller=lambda wildcards, input: ["--labeller", *input.labeller] if input.labeller else [],
        structure=training_options,
    # tee -i outlives Ctrl-C, so that the job can still say where it stopped.
    shell:
        "python -m discourse_nmt.workflow_scripts.train.train --system {params.system:q} --settings {params.settings:q} "
        "--training {params.training:q} --seed {wildcards.seed:q} --train {input.train:q} --dev {input.dev:q} "
        "--source-vocabulary {input.source_vocabulary:q} --target-vocabulary {input.target_vocabulary:q} "
        "{params.initial:q} {params.labeller:q} {params.structure:q} --work {params.work:q} --code {params.code:q} "
        "--threads $((({threads} + {resources.processes} - 1) / {resources.processes})) "
        "--device {resources.device} --devices {resources.processes} --nodes {resources.nodes} {resources.sparing} "
        "--time-limit {resources.soft_runtime} --output {output.model:q} --metrics {output.metrics:q} 2>&1 | tee -i {log:q}"


# A further decoding of a model begins with the model, which is not trained again.
rule take_model:
    input:
        model=plan.runs.model_of("model.safetensors"),
        metrics=plan.runs.model_of("metrics.csv"),
    output:
        model=f"{RUN}/model.safetensors",
        metrics=f"{RUN}/metrics.csv",
    log:
        f"{RESULTS}/logs/{{corpus}}/take_model/{{experiment}}/seed{{seed}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/take_model/{{experiment}}/seed{{seed}}.tsv"
    wildcard_constraints:
        experiment=names_regex(plan.runs.decoded_experiments()),
    conda:
        "../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=memory(500),
        runtime=30,
    params:
        code=code("corpus.take_over"),
    shell:
        "python -m discourse_nmt.workflow_scripts.corpus.take_over --files {input.model:q} {input.metrics:q} "
        "--output {output.model:q} {output.metrics:q} 2>&1 | tee {log:q}"


# A model that was trained elsewhere, such as a published one.
rule take_from_folder:
    input:
        imported=ancient(STATISTICS),
        description=plan.runs.model_folder_description,
        source_truecaser=f"{RESULTS}/{{corpus}}/text/source/truecase.json",
        target_truecaser=f"{RESULTS}/{{corpus}}/text/target/truecase.json",
        source_codes=f"{RESULTS}/{{corpus}}/text/source/bpe.json",
        target_codes=f"{RESULTS}/{{corpus}}/text/target/bpe.json",
        source_vocabulary=f"{RESULTS}/{{corpus}}/text/source/vocabulary.json",
        target_vocabulary=f"{RESULTS}/{{corpus}}/text/target/vocabulary.json",
    output:
        model=f"{RUN}/model.safetensors",
        metrics=f"{RUN}/metrics.csv",
        description=f"{RUN}/taken_from.json",
    log:
        f"{RESULTS}/logs/{{corpus}}/take_from_folder/{{experiment}}/seed{{seed}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/take_from_folder/{{experiment}}/seed{{seed}}.tsv"
    wildcard_constraints:
        experiment=names_regex(plan.runs.taken_experiments()),
    conda:
        "../envs/network.yaml"
    threads: 1
    resources:
        mem_mb=memory(2000),
        runtime=30,
    params:
        code=code("train.take_from_folder"),
        folder=plan.runs.model_folder,
        digest=plan.runs.model_folder_digest,
        system=plan.runs.system,
        settings=plan.parameters.settings("settings"),
    shell:
        "python -m discourse_nmt.workflow_scripts.train.take_from_folder --folder {params.folder:q} "
        "--system {params.system:q} --settings {params.settings:q} --source-truecaser {input.source_truecaser:q} "
        "--source-codes {input.source_codes:q} --source-vocabulary {input.source_vocabulary:q} "
        "--target-truecaser {input.target_truecaser:q} --target-codes {input.target_codes:q} "
        "--target-vocabulary {input.target_vocabulary:q} --output {output.model:q} --metrics {output.metrics:q} "
        "--description {output.description:q} 2>&1 | tee {log:q}"


# For decodings with a shortlist of the target vocabulary.
rule learn_subword_translations:
    input:
        imported=ancient(STATISTICS),
        dataset=f"{RESULTS}/{{corpus}}/dataset/train.arrow",
        source_vocabulary=f"{RESULTS}/{{corpus}}/text/source/vocabulary.json",
        target_vocabulary=f"{RESULTS}/{{corpus}}/text/target/vocabulary.json",
    output:
        translations=plan.files.subword_translations("{corpus}"),
    log:
        f"{RESULTS}/logs/{{corpus}}/learn_subword_translations.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/learn_subword_translations.tsv"
    conda:
        "../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=memory(1500, fixed=1500, per_megabyte=100, most=6000),
        runtime=120,
    params:
        code=code("text.learn_subword_translations"),
        pairs=configuration.document_metrics.alignment_pairs,
    shell:
        "python -m discourse_nmt.workflow_scripts.text.learn_subword_translations --dataset {input.dataset:q} "
        "--source-vocabulary {input.source_vocabulary:q} --target-vocabulary {input.target_vocabulary:q} "
        "--pairs {params.pairs} --output {output.translations:q} 2>&1 | tee {log:q}"


# Values of decoding that are chosen for each model on dev, before it translates anything.
rule tune_decoding:
    input:
        imported=ancient(STATISTICS),
        model=f"{RUN}/model.safetensors",
        dataset=f"{RESULTS}/{{corpus}}/dataset/{{split}}.arrow",
        sentences=plan.files.all_shards("corpus"),
        structure=plan.structures.decoding,
        subword_translations=plan.runs.subword_translations,
        source_vocabulary=f"{RESULTS}/{{corpus}}/text/source/vocabulary.json",
        target_vocabulary=f"{RESULTS}/{{corpus}}/text/target/vocabulary.json",
    output:
        tuned=f"{RUN}/tuned_decoding/{{split}}.json",
    log:
        f"{RESULTS}/logs/{{corpus}}/tune_decoding/{{experiment}}/seed{{seed}}/{{split}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/tune_decoding/{{experiment}}/seed{{seed}}/{{split}}.tsv"
    wildcard_constraints:
        experiment=names_regex(configuration.experiments),
        split="dev",
    conda:
        "../envs/network.yaml"
    threads: HARDWARE.threads
    resources:
        gpu=min(1, GPUS),
        device=DEVICE,
        mem_mb=memory(4000),
        runtime=1440,
    params:
        code=plan.parameters.system_and_text_code("train.tune_decoding"),
        files=plan.corpora.tokeniser_digest,
        structure=structure_option,
        subword_translations=shortlist_option,
        settings=plan.parameters.settings("decoding"),
        text=plan.parameters.settings("text"),
        language=plan.corpora.target_language,
        lowercase=plan.corpora.lowercase_option,
    shell:
        "python -m discourse_nmt.workflow_scripts.train.tune_decoding --model {input.model:q} --dataset {input.dataset:q} {params.structure:q} "
        "--sentences {input.sentences:q} --source-vocabulary {input.source_vocabulary:q} "
        "--target-vocabulary {input.target_vocabulary:q} {params.subword_translations:q} --settings {params.settings:q} "
        "--text-settings {params.text:q} --language {params.language:q} {params.lowercase:q} --split {wildcards.split:q} "
        "--threads {threads} --device {resources.device} --output {output.tuned:q} 2>&1 | tee {log:q}"


# A large split is divided by documents: its translations are then joined from those of its parts.
rule translate_split:
    input:
        parts=plan.parts.files_of("translations"),
        imported=ancient(STATISTICS),
        model=f"{RUN}/model.safetensors",
        dataset=f"{RESULTS}/{{corpus}}/dataset/{{split}}.arrow",
        structure=plan.structures.decoding,
        subword_translations=plan.runs.subword_translations,
        tuned=plan.runs.tuned_decoding,
        asked=plan.scores.asked,
        source_vocabulary=f"{RESULTS}/{{corpus}}/text/source/vocabulary.json",
        target_vocabulary=f"{RESULTS}/{{corpus}}/text/target/vocabulary.json",
    output:
        translations=f"{RUN}/translations/{{split}}.parquet",
    log:
        f"{RESULTS}/logs/{{corpus}}/translate/{{experiment}}/seed{{seed}}/{{split}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/translate/{{experiment}}/seed{{seed}}/{{split}}.tsv"
    wildcard_constraints:
        experiment=names_regex(configuration.experiments),
    conda:
        "../envs/network.yaml"
    threads: HARDWARE.threads
    resources:
        gpu=min(1, GPUS),
        device=DEVICE,
        mem_mb=memory(4000),
        runtime=480,
    params:
        code=plan.parameters.system_and_text_code("train.translate"),
        files=plan.corpora.tokeniser_digest,
        part=part_option,
        structure=structure_option,
        subword_translations=shortlist_option,
        tuned=tuned_option,
        asked=plan.scores.asked_option,
        settings=plan.parameters.settings("decoding"),
        text=plan.parameters.settings("text"),
    shell:
        "python -m discourse_nmt.workflow_scripts.train.translate --model {input.model:q} --dataset {input.dataset:q} {params.structure:q} {params.part:q} "
        "--source-vocabulary {input.source_vocabulary:q} --target-vocabulary {input.target_vocabulary:q} "
        "{params.subword_translations:q} {params.tuned:q} {params.asked:q} --settings {params.settings:q} --text-settings {params.text:q} --threads {threads} --device {resources.device} "
        "--output {output.translations:q} 2>&1 | tee {log:q}"


use rule translate_split as translate_part with:
    input:
        imported=ancient(STATISTICS),
        model=rules.translate_split.input.model,
        dataset=rules.translate_split.input.dataset,
        structure=plan.structures.decoding,
        subword_translations=plan.runs.subword_translations,
        tuned=plan.runs.tuned_decoding,
        asked=plan.scores.asked,
        source_vocabulary=rules.translate_split.input.source_vocabulary,
        target_vocabulary=rules.translate_split.input.target_vocabulary,
    output:
        translations=temp(f"{RUN}/translations/{{split}}/{{part}}-of-{{parts}}.parquet"),
    log:
        f"{RESULTS}/logs/{{corpus}}/translate_part/{{experiment}}/seed{{seed}}/{{split}}/{{part}}-of-{{parts}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/translate_part/{{experiment}}/seed{{seed}}/{{split}}/{{part}}-of-{{parts}}.tsv"


# The model as a folder that travels.
rule pack_model:
    input:
        imported=ancient(STATISTICS),
        model=f"{RUN}/model.safetensors",
        metrics=f"{RUN}/metrics.csv",
        scores=plan.runs.test_scores,
        source_truecaser=f"{RESULTS}/{{corpus}}/text/source/truecase.json",
        target_truecaser=f"{RESULTS}/{{corpus}}/text/target/truecase.json",
        source_codes=f"{RESULTS}/{{corpus}}/text/source/bpe.json",
        target_codes=f"{RESULTS}/{{corpus}}/text/target/bpe.json",
        source_vocabulary=f"{RESULTS}/{{corpus}}/text/source/vocabulary.json",
        target_vocabulary=f"{RESULTS}/{{corpus}}/text/target/vocabulary.json",
        draft=plan.structures.draft_model,
        subword_translations=plan.runs.subword_translations,
        tuned=plan.runs.tuned_decoding,
    output:
        folder=directory(f"{RUN}/model"),
    log:
        f"{RESULTS}/logs/{{corpus}}/pack_model/{{experiment}}/seed{{seed}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/pack_model/{{experiment}}/seed{{seed}}.tsv"
    conda:
        "../envs/network.yaml"
    threads: 1
    resources:
        mem_mb=memory(2000, per_megabyte=2),
        runtime=60,
    params:
        code=code("train.pack_model"),
        settings=plan.parameters.settings("decoding"),
        subword_translations=shortlist_option,
        tuned=tuned_option,
        text=plan.parameters.settings("text"),
        analysis=plan.structures.analysis_of_model,
        draft=lambda wildcards, input: ["--draft", *input.draft] if input.draft else [],
        # No inputs: a corpus may stay as it was imported before from files that are gone.
        data=lambda wildcards: plan.corpora.sources[wildcards.corpus],
        licence=[f"--licence={name}" for name in [configuration.model_folders.licence] if name],
        precision=configuration.model_folders.precision,
    shell:
        "python -m discourse_nmt.workflow_scripts.train.pack_model --model {input.model:q} --metrics {input.metrics:q} "
        "--scores {input.scores:q} --source-truecaser {input.source_truecaser:q} --source-codes {input.source_codes:q} "
        "--source-vocabulary {input.source_vocabulary:q} --target-truecaser {input.target_truecaser:q} "
        "--target-codes {input.target_codes:q} --target-vocabulary {input.target_vocabulary:q} "
        "{params.subword_translations:q} {params.tuned:q} --settings {params.settings:q} --text-settings {params.text:q} --analysis {params.analysis:q} {params.draft:q} "
        "--data {params.data:q} --corpus {wildcards.corpus:q} --experiment {wildcards.experiment:q} "
        "--seed {wildcards.seed} {params.licence:q} --precision {params.precision} --output {output.folder:q} 2>&1 | tee {log:q}"


rule show_cache:
    input:
        imported=ancient(STATISTICS),
        model=f"{RUN}/model.safetensors",
        dataset=f"{RESULTS}/{{corpus}}/dataset/{{split}}.arrow",
        structure=plan.structures.decoding,
        source_vocabulary=f"{RESULTS}/{{corpus}}/text/source/vocabulary.json",
        target_vocabulary=f"{RESULTS}/{{corpus}}/text/target/vocabulary.json",
    output:
        table=f"{RUN}/cache/{{split}}.tsv",
        page=f"{RUN}/cache/{{split}}.html",
    log:
        f"{RESULTS}/logs/{{corpus}}/show_cache/{{experiment}}/seed{{seed}}/{{split}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/show_cache/{{experiment}}/seed{{seed}}/{{split}}.tsv"
    conda:
        "../envs/network.yaml"
    threads: HARDWARE.threads
    resources:
        gpu=min(1, GPUS),
        device=DEVICE,
        mem_mb=memory(4000),
        runtime=240,
    params:
        code=plan.parameters.system_and_text_code("train.show_cache"),
        files=plan.corpora.tokeniser_digest,
        # No inputs, as all that ships with the project: a fresh clone has them elsewhere. Their content counts.
        templates=lambda wildcards: files_digest(CACHE_TEMPLATES),
        structure=structure_option,
        settings=plan.parameters.settings("scoring"),
        text=plan.parameters.settings("text"),
        title=lambda wildcards: "Cache of {experiment}, seed {seed}, on {split} of {corpus}".format(**wildcards),
    shell:
        "python -m discourse_nmt.workflow_scripts.train.show_cache --model {input.model:q} --dataset {input.dataset:q} "
        "{params.structure:q} --source-vocabulary {input.source_vocabulary:q} "
        "--target-vocabulary {input.target_vocabulary:q} --settings {params.settings:q} "
        "--text-settings {params.text:q} --threads {threads} --device {resources.device} --title {params.title:q} "
        "--table {output.table:q} --page {output.page:q} 2>&1 | tee {log:q}"
