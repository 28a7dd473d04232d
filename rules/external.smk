"""What comes from outside of the project: translations by other systems, and metrics that the user runs.

Requires: the files that config `corpora.<name>.systems` names, the documents of the import, and translations.
Makes: experiments/<system>/seed<seed>/language_model/<split>.jsonl, translations that a language model was asked for, and
.parquet, its answers; translations/<split>.parquet, as if an experiment had translated the test set, and
output_alignment/<split>.parquet, what texts leave out and add; in
experiments/<experiment>/seed<seed>/: metrics/<metric>/<split>.parquet, scores by document and segment,
metric_scores/<metric>/<split>.tsv and, beside the baseline, metric_significance/<metric>/<split>.tsv, also without
seed<seed>/ over all seeds. As text, in the order of the corpus files: texts/<split>.source.txt, .references.txt and
.documents.txt of the corpus; translations/<split>.txt and .jsonl of every run. On demand: chats/<analysis>/<split>/ of a corpus, its documents as
chats to fine-tune language models with, and a card.
"""


rule import_hypotheses:
    input:
        documents=f"{RESULTS}/{{corpus}}/corpus/documents/{{split}}.parquet",
        sentences=plan.files.all_shards("corpus"),
        hypotheses=plan.corpora.hypotheses_of,
    output:
        translations=f"{RUN}/translations/{{split}}.parquet",
        alignment=f"{RUN}/output_alignment/{{split}}.parquet",
    log:
        f"{RESULTS}/logs/{{corpus}}/import_hypotheses/{{experiment}}/seed{{seed}}/{{split}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/import_hypotheses/{{experiment}}/seed{{seed}}/{{split}}.tsv"
    wildcard_constraints:
        experiment=names_regex(plan.runs.external_names()),
    priority: 100  # a file that does not fit is told before hours of training
    conda:
        plan.corpora.tokeniser_environment
    threads: 1
    resources:
        mem_mb=memory(1000, per_megabyte=20),
        runtime=30,
    params:
        code=plan.parameters.tokeniser_code("external.import_hypotheses"),
        files=plan.corpora.tokeniser_digest,
        pattern=plan.corpora.hypothesis_pattern,
        text=plan.parameters.settings("tokenise"),
    shell:
        "python -m discourse_nmt.workflow_scripts.external.import_hypotheses --hypotheses {params.pattern:q} "
        "--documents {input.documents:q} --sentences {input.sentences:q} --corpus {wildcards.corpus:q} "
        "--test-set {wildcards.split:q} --text-settings {params.text:q} --alignment {output.alignment:q} "
        "--output {output.translations:q} 2>&1 | tee {log:q}"


rule ask_language_model:
    input:
        documents=f"{RESULTS}/{{corpus}}/corpus/documents/{{split}}.parquet",
        sentences=plan.files.all_shards("corpus"),
        tables=plan.language_models.tables,
        earlier=ancient(plan.language_models.earlier),
    output:
        translations=f"{RUN}/language_model/{{split}}.jsonl",
        answers=f"{RUN}/language_model/{{split}}.parquet",
    log:
        f"{RESULTS}/logs/{{corpus}}/ask_language_model/{{experiment}}/seed{{seed}}/{{split}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/ask_language_model/{{experiment}}/seed{{seed}}/{{split}}.tsv"
    wildcard_constraints:
        experiment=names_regex(plan.language_models.names),
    priority: 100  # answers come while others train
    conda:
        "../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000, per_megabyte=60),
        runtime=1440,
    params:
        code=code("external.ask_language_model"),
        settings=plan.language_models.settings_option,
        files=plan.language_models.prompt_files_digest,
        tables=plan.language_models.table_options,
        source_language=plan.corpora.source_language,
        target_language=plan.corpora.target_language,
        kept=ANSWERS,
        owner=plan.language_models.owner,
    # tee -i outlives Ctrl-C, so that the job can still say where it stopped.
    shell:
        "python -m discourse_nmt.workflow_scripts.external.ask_language_model --documents {input.documents:q} "
        "--sentences {input.sentences:q} --tables {params.tables:q} --languages {params.source_language:q} "
        "{params.target_language:q} --settings {params.settings:q} --seed {wildcards.seed:q} --answers {params.kept:q} --owner {params.owner:q} "
        "--table {output.answers:q} --output {output.translations:q} 2>&1 | tee -i {log:q}"


# To fine-tune language models with.
rule write_chats:
    input:
        documents=rules.export_documents.output.documents,
    output:
        [f"{RESULTS}/{{corpus}}/chats/{{analysis}}/{{split}}/{name}" for name in CHAT_FILES],
    log:
        f"{RESULTS}/logs/{{corpus}}/write_chats/{{analysis}}/{{split}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/write_chats/{{analysis}}/{{split}}.tsv"
    conda:
        "../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=memory(2000, fixed=1000, per_megabyte=20),
        runtime=120,
    params:
        code=code("external.write_chats"),
        folder=lambda wildcards, output: str(Path(output[0]).parent),
    shell:
        "python -m discourse_nmt.workflow_scripts.external.write_chats --documents {input.documents:q} "
        "--analysis {wildcards.analysis:q} --output {params.folder:q} 2>&1 | tee {log:q}"


rule write_test_set:
    input:
        sentences=plan.files.all_shards("corpus"),
        documents=f"{RESULTS}/{{corpus}}/corpus/documents/{{split}}.parquet",
    output:
        source=f"{RESULTS}/{{corpus}}/texts/{{split}}.source.txt",
        references=f"{RESULTS}/{{corpus}}/texts/{{split}}.references.txt",
        ids=f"{RESULTS}/{{corpus}}/texts/{{split}}.documents.txt",
    log:
        f"{RESULTS}/logs/{{corpus}}/write_test_set/{{split}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/write_test_set/{{split}}.tsv"
    conda:
        "../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000),
        runtime=10,
    params:
        code=code("external.write_test_set"),
    shell:
        "python -m discourse_nmt.workflow_scripts.external.write_test_set --sentences {input.sentences:q} "
        "--documents {input.documents:q} --source {output.source:q} --references {output.references:q} "
        "--ids {output.ids:q} 2>&1 | tee {log:q}"


rule write_translations:
    input:
        translations=f"{RUN}/translations/{{split}}.parquet",
        sentences=plan.files.all_shards("corpus"),
        documents=f"{RESULTS}/{{corpus}}/corpus/documents/{{split}}.parquet",
    output:
        text=f"{RUN}/translations/{{split}}.txt",
        submission=f"{RUN}/translations/{{split}}.jsonl",
    log:
        f"{RESULTS}/logs/{{corpus}}/write_translations/{{experiment}}/seed{{seed}}/{{split}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/write_translations/{{experiment}}/seed{{seed}}/{{split}}.tsv"
    conda:
        "../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000),
        runtime=10,
    params:
        code=code("external.write_translations"),
        language=plan.corpora.target_language,
    shell:
        "python -m discourse_nmt.workflow_scripts.external.write_translations --translations {input.translations:q} "
        "--sentences {input.sentences:q} --documents {input.documents:q} --language {params.language:q} "
        "--output {output.text:q} --submission {output.submission:q} 2>&1 | tee {log:q}"


rule run_metric:
    input:
        translations=f"{RUN}/translations/{{split}}.parquet",
        sentences=plan.files.all_shards("corpus"),
        documents=f"{RESULTS}/{{corpus}}/corpus/documents/{{split}}.parquet",
    output:
        table=f"{RUN}/metrics/{{metric}}/{{split}}.parquet",
        scores=f"{RUN}/metric_scores/{{metric}}/{{split}}.tsv",
    log:
        f"{RESULTS}/logs/{{corpus}}/run_metric/{{experiment}}/seed{{seed}}/{{metric}}/{{split}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/run_metric/{{experiment}}/seed{{seed}}/{{metric}}/{{split}}.tsv"
    conda:
        "../envs/text.yaml"
    threads: HARDWARE.threads
    resources:
        gpu=min(1, GPUS),
        mem_mb=memory(4000),
        runtime=480,
    params:
        code=code("external.run_metric"),
        system=plan.runs.system,
        source_language=plan.corpora.source_language,
        target_language=plan.corpora.target_language,
        better=plan.scores.metric_better,
        # Not compared, as its function takes more than wildcards: a limit changes no score.
        time_limit=lambda wildcards, output: plan.scores.metric_time_limit(wildcards),
        command=plan.scores.metric_command,
        texts=plan.scores.metric_texts,
        # No input: the file of a program that is installed has any time. Its content counts.
        digest=plan.scores.metric_digest,
    shell:
        "python -m discourse_nmt.workflow_scripts.external.run_metric --metric {wildcards.metric:q} "
        "--better {params.better} {params.time_limit:q} --texts {params.texts:q} --translations {input.translations:q} "
        "--sentences {input.sentences:q} --documents {input.documents:q} --source-language {params.source_language:q} "
        "--target-language {params.target_language:q} --corpus {wildcards.corpus:q} "
        "--experiment {wildcards.experiment:q} --system {params.system:q} --seed {wildcards.seed:q} "
        "--test-set {wildcards.split:q} --scores {output.table:q} --output {output.scores:q} -- {params.command:q} "
        "2>&1 | tee {log:q}"


rule compare_metric:
    input:
        scores=plan.comparisons.own_files("metrics/{metric}"),
        baseline=plan.comparisons.baseline_files("metrics/{metric}"),
    output:
        scores=f"{RUN}/metric_significance/{{metric}}/{{split}}.tsv",
    log:
        f"{RESULTS}/logs/{{corpus}}/compare_metric/{{experiment}}/seed{{seed}}/{{metric}}/{{split}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/compare_metric/{{experiment}}/seed{{seed}}/{{metric}}/{{split}}.tsv"
    conda:
        "../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=memory(2000),
        runtime=30,
    params:
        code=code("external.compare_metric"),
        system=plan.runs.system,
        seeds=plan.comparisons.seeds,
        trials=configuration.significance.trials,
        random_seed=configuration.significance.seed,
        better=plan.scores.metric_better,
        command=plan.scores.metric_command,
        texts=plan.scores.metric_texts,
    shell:
        "python -m discourse_nmt.workflow_scripts.external.compare_metric --metric {wildcards.metric:q} "
        "--better {params.better} --texts {params.texts:q} --scores {input.scores:q} --baseline-scores {input.baseline:q} {params.seeds:q} "
        "--trials {params.trials} --random-seed {params.random_seed} --corpus {wildcards.corpus:q} "
        "--experiment {wildcards.experiment:q} --system {params.system:q} --test-set {wildcards.split:q} "
        "--output {output.scores:q} -- {params.command:q} 2>&1 | tee {log:q}"


# The same over all seeds of an experiment.
use rule compare_metric as compare_metric_over_seeds with:
    output:
        scores=f"{RESULTS}/{{corpus}}/experiments/{{experiment}}/metric_significance/{{metric}}/{{split}}.tsv",
    log:
        f"{RESULTS}/logs/{{corpus}}/compare_metric_over_seeds/{{experiment}}/{{metric}}/{{split}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/compare_metric_over_seeds/{{experiment}}/{{metric}}/{{split}}.tsv"
