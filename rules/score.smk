"""Scores of runs and of analyses, comparisons with baselines, then one table of all.

Requires: translations, the raw and tokenised references, contrastive items, suites, and the annotation of the test sets.
Makes, in experiments/<experiment>/seed<seed>/: scores/<split>.tsv, document_scores/<split>.tsv, suites/<suite>.tsv,
contrastive/<split>.parquet, generation/<split>.parquet (the forms in translations), reference_scores/<split>.parquet
(log-probabilities of references), information_scores/<split>.tsv (CXMI from these), significance/<split>.tsv of translations and contrastive_significance/ and
generation_significance/<split>.tsv of accuracies beside the baseline, all three also without seed<seed>/ over all
seeds. In discourse/<analysis>/<side>/: figures/<split>.tsv and scores/<split>.tsv of an analysis beside the one that it is compared with. In
parsers/<language>/rows/: the scores of trained analysers. results/<run>/scores.tsv and scores.md hold them all. In
results/<run>/tables/: tables of papers with measured scores beside the published ones (.md, .tex, .json for the report).
"""


rule score_contrastive:
    input:
        parts=plan.parts.files_of("contrastive"),
        imported=ancient(STATISTICS),
        contrastive=plan.corpora.contrastive_items,
        model=f"{RUN}/model.safetensors",
        dataset=f"{RESULTS}/{{corpus}}/dataset/{{split}}.arrow",
        structure=plan.structures.decoding,
        source_vocabulary=f"{RESULTS}/{{corpus}}/text/source/vocabulary.json",
        target_vocabulary=f"{RESULTS}/{{corpus}}/text/target/vocabulary.json",
        target_truecaser=f"{RESULTS}/{{corpus}}/text/target/truecase.json",
        target_codes=f"{RESULTS}/{{corpus}}/text/target/bpe.json",
    output:
        scores=f"{RUN}/contrastive/{{split}}.parquet",
    log:
        f"{RESULTS}/logs/{{corpus}}/score_contrastive/{{experiment}}/seed{{seed}}/{{split}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/score_contrastive/{{experiment}}/seed{{seed}}/{{split}}.tsv"
    conda:
        "../envs/network.yaml"
    threads: 1
    resources:
        gpu=min(1, GPUS),
        device=DEVICE,
        mem_mb=memory(4000),
        runtime=240,
    params:
        code=plan.parameters.system_and_text_code("score.score_contrastive"),
        files=plan.corpora.tokeniser_digest,
        part=part_option,
        structure=structure_option,
        settings=plan.parameters.settings("scoring"),
        text=plan.parameters.settings("text"),
    shell:
        "python -m discourse_nmt.workflow_scripts.score.score_contrastive --items {input.contrastive:q} --model {input.model:q} "
        "--dataset {input.dataset:q} {params.structure:q} {params.part:q} --source-vocabulary {input.source_vocabulary:q} "
        "--target-vocabulary {input.target_vocabulary:q} --target-truecaser {input.target_truecaser:q} "
        "--target-codes {input.target_codes:q} --settings {params.settings:q} --text-settings {params.text:q} "
        "--threads {threads} --device {resources.device} --output {output.scores:q} 2>&1 | tee {log:q}"


use rule score_contrastive as score_contrastive_part with:
    input:
        imported=ancient(STATISTICS),
        contrastive=plan.corpora.contrastive_items,
        model=rules.score_contrastive.input.model,
        dataset=rules.score_contrastive.input.dataset,
        structure=plan.structures.decoding,
        source_vocabulary=rules.score_contrastive.input.source_vocabulary,
        target_vocabulary=rules.score_contrastive.input.target_vocabulary,
        target_truecaser=rules.score_contrastive.input.target_truecaser,
        target_codes=rules.score_contrastive.input.target_codes,
    output:
        scores=temp(f"{RUN}/contrastive/{{split}}/{{part}}-of-{{parts}}.parquet"),
    log:
        f"{RESULTS}/logs/{{corpus}}/score_contrastive_part/{{experiment}}/seed{{seed}}/{{split}}/{{part}}-of-{{parts}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/score_contrastive_part/{{experiment}}/seed{{seed}}/{{split}}/{{part}}-of-{{parts}}.tsv"


rule score_references:
    input:
        imported=ancient(STATISTICS),
        model=f"{RUN}/model.safetensors",
        dataset=f"{RESULTS}/{{corpus}}/dataset/{{split}}.arrow",
        structure=plan.structures.decoding,
        source_vocabulary=f"{RESULTS}/{{corpus}}/text/source/vocabulary.json",
        target_vocabulary=f"{RESULTS}/{{corpus}}/text/target/vocabulary.json",
    output:
        scores=f"{RUN}/reference_scores/{{split}}.parquet",
    log:
        f"{RESULTS}/logs/{{corpus}}/score_references/{{experiment}}/seed{{seed}}/{{split}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/score_references/{{experiment}}/seed{{seed}}/{{split}}.tsv"
    conda:
        "../envs/network.yaml"
    threads: 1
    resources:
        gpu=min(1, GPUS),
        device=DEVICE,
        mem_mb=memory(4000),
        runtime=240,
    params:
        code=plan.parameters.system_code("train.score_references"),
        structure=structure_option,
        settings=plan.parameters.settings("scoring"),
        controls=configuration.document_metrics.controls,
    shell:
        "python -m discourse_nmt.workflow_scripts.train.score_references --model {input.model:q} --dataset {input.dataset:q} "
        "{params.structure:q} --source-vocabulary {input.source_vocabulary:q} "
        "--target-vocabulary {input.target_vocabulary:q} --settings {params.settings:q} "
        "--controls {params.controls:q} --threads {threads} --device {resources.device} --output {output.scores:q} 2>&1 | tee {log:q}"


rule score_information:
    input:
        imported=ancient(STATISTICS),
        references=rules.score_references.output.scores,
    output:
        scores=f"{RUN}/information_scores/{{split}}.tsv",
    log:
        f"{RESULTS}/logs/{{corpus}}/score_information/{{experiment}}/seed{{seed}}/{{split}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/score_information/{{experiment}}/seed{{seed}}/{{split}}.tsv"
    conda:
        "../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000),
        runtime=30,
    params:
        code=code("train.score_information"),
        system=plan.runs.system,
        normalised=plan.scores.normalised_sides,
        groups=plan.scores.groups_option,
    shell:
        "python -m discourse_nmt.workflow_scripts.train.score_information --reference-scores {input.references:q} "
        "{params.groups:q} --corpus {wildcards.corpus:q} --experiment {wildcards.experiment:q} "
        "--system {params.system:q} --seed {wildcards.seed:q} --test-set {wildcards.split:q} "
        "--normalised {params.normalised:q} --output {output.scores:q} 2>&1 | tee {log:q}"


rule judge_translations:
    input:
        imported=ancient(STATISTICS),
        asked=plan.scores.items,
        translations=rules.translate_split.output.translations,
        sentences=plan.files.all_shards("corpus"),
    output:
        judged=f"{RUN}/generation/{{split}}.parquet",
    log:
        f"{RESULTS}/logs/{{corpus}}/judge_translations/{{experiment}}/seed{{seed}}/{{split}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/judge_translations/{{experiment}}/seed{{seed}}/{{split}}.tsv"
    conda:
        "../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000),
        runtime=10,
    params:
        code=code("score.judge_translations"),
        kind=plan.scores.items_option,
    shell:
        "python -m discourse_nmt.workflow_scripts.score.judge_translations {params.kind} {input.asked:q} "
        "--translations {input.translations:q} --sentences {input.sentences:q} --output {output.judged:q} 2>&1 | tee {log:q}"


rule score_run:
    input:
        translations=rules.translate_split.output.translations,
        sentences=plan.files.all_shards("corpus"),
        tokens=plan.files.all_shards("text/tokens"),
        dataset=f"{RESULTS}/{{corpus}}/dataset/{{split}}.arrow",
        contrastive=plan.scores.contrastive,
        repeats=plan.files.repeats("{corpus}", "{split}"),
        generation=plan.scores.generation,
        alignment=plan.scores.output_alignment,
        answers=plan.language_models.answers,
        tuned=plan.runs.tuned_decoding,
        # Not read: the command of sacrebleu names them, and can be run as soon as it is there.
        references=ancient(rules.write_test_set.output.references),
        text=ancient(rules.write_translations.output.text),
    output:
        scores=f"{RUN}/scores/{{split}}.tsv",
        command=f"{RUN}/translations/{{split}}.sacrebleu.txt",
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
        system=plan.runs.system,
        language=plan.corpora.target_language,
        lowercase=plan.corpora.lowercase_option,
        normalised=plan.scores.normalised_sides,
        computed_by=plan.runs.computed_by,
        tuned=tuned_option,
        # By their names in the results, also where Snakemake gives copies from storage as inputs.
        texts=[f"{RESULTS}/{{corpus}}/texts/{{split}}.references.txt", f"{RUN}/translations/{{split}}.txt"],
    shell:
        "python -m discourse_nmt.workflow_scripts.score.score --translations {input.translations:q} --sentences {input.sentences:q} "
        "--tokens {input.tokens:q} --dataset {input.dataset:q} --corpus {wildcards.corpus:q} "
        "--experiment {wildcards.experiment:q} --system {params.system:q} --seed {wildcards.seed:q} "
        "--test-set {wildcards.split:q} --language {params.language:q} {params.lowercase:q} "
        "--normalised {params.normalised:q} --computed-by {params.computed_by:q} {params.tuned:q} --contrastive {input.contrastive:q} --generation {input.generation:q} "
        "--repeats {input.repeats:q} --alignment {input.alignment:q} --answers {input.answers:q} "
        "--texts {params.texts:q} --command {output.command:q} --output {output.scores:q} 2>&1 | tee {log:q}"


rule learn_alignment:
    input:
        imported=ancient(STATISTICS),
        tokens=plan.files.all_shards("text/tokens", "train"),
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
        pairs=configuration.document_metrics.alignment_pairs,
    shell:
        "python -m discourse_nmt.workflow_scripts.score.learn_alignment --tokens {input.tokens:q} --pairs {params.pairs} "
        "--output {output.table:q} 2>&1 | tee {log:q}"


rule score_document:
    input:
        translations=rules.translate_split.output.translations,
        sentences=plan.files.all_shards("corpus"),
        tokens=plan.files.all_shards("text/tokens"),
        dataset=f"{RESULTS}/{{corpus}}/dataset/{{split}}.arrow",
        alignment=rules.learn_alignment.output.table,
        syntax=plan.scores.measured_annotation("syntax"),
        coreference=plan.scores.measured_annotation("coreference"),
    output:
        scores=f"{RUN}/document_scores/{{split}}.tsv",
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
        # No input, as all that ships with the project: a fresh clone has it elsewhere. Its content counts: Snakemake
        # does not compare a param whose function takes more than wildcards.
        stop_words=lambda wildcards, output: plan.scores.stop_words(wildcards),
        stop_words_digest=plan.scores.stop_words_digest,
        system=plan.runs.system,
        source_language=plan.corpora.source_language,
        language=plan.corpora.target_language,
        lowercase=plan.corpora.lowercase_option,
    shell:
        "python -m discourse_nmt.workflow_scripts.score.score_document --translations {input.translations:q} "
        "--sentences {input.sentences:q} --tokens {input.tokens:q} --dataset {input.dataset:q} "
        "--alignment {input.alignment:q} --syntax {input.syntax:q} --coreference {input.coreference:q} "
        "--stop-words {params.stop_words:q} --corpus {wildcards.corpus:q} --experiment {wildcards.experiment:q} "
        "--system {params.system:q} --seed {wildcards.seed:q} --test-set {wildcards.split:q} "
        "--source-language {params.source_language:q} --language {params.language:q} {params.lowercase:q} "
        "--output {output.scores:q} 2>&1 | tee {log:q}"


rule score_suite:
    input:
        contrastive=plan.scores.contrastive,
        generation=plan.scores.generation,
    output:
        scores=f"{RUN}/suites/{{split}}.tsv",
    log:
        f"{RESULTS}/logs/{{corpus}}/score_suite/{{experiment}}/seed{{seed}}/{{split}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/score_suite/{{experiment}}/seed{{seed}}/{{split}}.tsv"
    conda:
        "../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000),
        runtime=10,
    params:
        code=code("score.score_suite"),
        system=plan.runs.system,
    shell:
        "python -m discourse_nmt.workflow_scripts.score.score_suite --contrastive {input.contrastive:q} "
        "--generation {input.generation:q} --corpus {wildcards.corpus:q} --experiment {wildcards.experiment:q} "
        "--system {params.system:q} --seed {wildcards.seed:q} --test-set {wildcards.split:q} "
        "--output {output.scores:q} 2>&1 | tee {log:q}"


rule compare_translations:
    input:
        translations=plan.comparisons.own_files("translations"),
        baseline=plan.comparisons.baseline_files("translations"),
        sentences=plan.files.all_shards("corpus"),
        tokens=plan.files.all_shards("text/tokens"),
        dataset=f"{RESULTS}/{{corpus}}/dataset/{{split}}.arrow",
    output:
        scores=f"{RUN}/significance/{{split}}.tsv",
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
        system=plan.runs.system,
        seeds=plan.comparisons.seeds,
        samples=configuration.significance.samples,
        trials=configuration.significance.trials,
        random_seed=configuration.significance.seed,
        source_language=plan.corpora.source_language,
        language=plan.corpora.target_language,
        lowercase=plan.corpora.lowercase_option,
    shell:
        "python -m discourse_nmt.workflow_scripts.score.compare_translations --translations {input.translations:q} "
        "--baseline-translations {input.baseline:q} {params.seeds:q} --sentences {input.sentences:q} "
        "--tokens {input.tokens:q} --dataset {input.dataset:q} --source-language {params.source_language:q} "
        "--language {params.language:q} {params.lowercase:q} "
        "--samples {params.samples} --trials {params.trials} --random-seed {params.random_seed} "
        "--corpus {wildcards.corpus:q} --experiment {wildcards.experiment:q} --system {params.system:q} "
        "--test-set {wildcards.split:q} --output {output.scores:q} 2>&1 | tee {log:q}"


rule compare_accuracy:
    input:
        imported=ancient(STATISTICS),
        asked=plan.scores.items,
        judged=plan.comparisons.own_task_files,
        baseline=plan.comparisons.baseline_task_files,
    output:
        scores=f"{RUN}/{{task}}_significance/{{split}}.tsv",
    log:
        f"{RESULTS}/logs/{{corpus}}/compare_accuracy/{{experiment}}/seed{{seed}}/{{task}}/{{split}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/compare_accuracy/{{experiment}}/seed{{seed}}/{{task}}/{{split}}.tsv"
    wildcard_constraints:
        task="contrastive|generation",
    conda:
        "../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=memory(2000),
        runtime=30,
    params:
        code=code("score.compare_accuracy"),
        system=plan.runs.system,
        seeds=plan.comparisons.seeds,
    shell:
        "python -m discourse_nmt.workflow_scripts.score.compare_accuracy --task {wildcards.task} --items {input.asked:q} "
        "--judged {input.judged:q} --baseline-judged {input.baseline:q} {params.seeds:q} --corpus {wildcards.corpus:q} "
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
        scores=f"{RESULTS}/{{corpus}}/experiments/{{experiment}}/{{task}}_significance/{{split}}.tsv",
    log:
        f"{RESULTS}/logs/{{corpus}}/compare_accuracy_over_seeds/{{experiment}}/{{task}}/{{split}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/compare_accuracy_over_seeds/{{experiment}}/{{task}}/{{split}}.tsv"


rule compare_analyses:
    input:
        predicted=plan.comparisons.predicted_annotation,
        gold=plan.comparisons.gold_annotation,
    output:
        figures=f"{RESULTS}/{{corpus}}/discourse/{{analysis}}/{{side}}/figures/{{split}}.tsv",
    log:
        f"{RESULTS}/logs/{{corpus}}/compare_analyses/{{analysis}}/{{side}}/{{split}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/compare_analyses/{{analysis}}/{{side}}/{{split}}.tsv"
    conda:
        "../envs/network.yaml"
    threads: 1
    resources:
        mem_mb=memory(2000, per_megabyte=40),
        runtime=60,
    params:
        code=code("score.compare_analyses"),
        folder=f"{RESULTS}/{{corpus}}/discourse/{{analysis}}/{{side}}",
        gold=plan.comparisons.gold_folder,
        tables=plan.comparisons.tables,
    shell:
        "python -m discourse_nmt.workflow_scripts.score.compare_analyses --gold {params.gold:q} --predicted {params.folder:q} "
        "--tables {params.tables} --split {wildcards.split:q} --output {output.figures:q} 2>&1 | tee {log:q}"


rule score_analysis:
    input:
        figures=rules.compare_analyses.output.figures,
    output:
        scores=f"{RESULTS}/{{corpus}}/discourse/{{analysis}}/{{side}}/scores/{{split}}.tsv",
    log:
        f"{RESULTS}/logs/{{corpus}}/score_analysis/{{analysis}}/{{side}}/{{split}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/score_analysis/{{analysis}}/{{side}}/{{split}}.tsv"
    conda:
        "../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000),
        runtime=10,
    params:
        code=code("score.score_analysis"),
        gold=plan.comparisons.gold,
    shell:
        "python -m discourse_nmt.workflow_scripts.score.score_analysis --figures {input.figures:q} --corpus {wildcards.corpus:q} "
        "--analysis {wildcards.analysis:q} --of '{wildcards.side} analysis' --test-set {wildcards.split:q} "
        "--against {params.gold:q} --output {output.scores:q} 2>&1 | tee {log:q}"


rule score_parsers:
    input:
        figures=rules.evaluate_parsers.output.scores,
    output:
        scores=f"{PARSERS}/{{language}}/rows/{{treebank}}.tsv",
    log:
        f"{RESULTS}/logs/parsers/score_parsers/{{language}}/{{treebank}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/parsers/score_parsers/{{language}}/{{treebank}}.tsv"
    conda:
        "../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000),
        runtime=10,
    params:
        code=code("score.score_analysis"),
    shell:
        "python -m discourse_nmt.workflow_scripts.score.score_analysis --figures {input.figures:q} --corpus parsers "
        "--analysis {wildcards.language} --of analysers --test-set {wildcards.treebank:q} "
        "--against {wildcards.treebank:q} --output {output.scores:q} 2>&1 | tee {log:q}"


rule collect_scores:
    input:
        imported=ancient(expand(STATISTICS, corpus=plan.runs.used_corpora())),
        scores=plan.scores.tables(),
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


rule paper_table:
    input:
        scores=rules.collect_scores.output.table,
        labellers=plan.papers.labeller_scores,
        read=plan.papers.read,
    output:
        markdown=f"{RESULTS}/tables/{{table}}.md",
        latex=f"{RESULTS}/tables/{{table}}.tex",
        cells=f"{RESULTS}/tables/{{table}}.json",
    log:
        f"{RESULTS}/logs/paper_table/{{table}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/paper_table/{{table}}.tsv"
    conda:
        "../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000),
        runtime=10,
    params:
        code=code("score.paper_table"),
        table=plan.papers.description,
    shell:
        "python -m discourse_nmt.workflow_scripts.score.paper_table --table {params.table:q} "
        "--scores {input.scores:q} {input.labellers:q} --markdown {output.markdown:q} --latex {output.latex:q} "
        "--cells {output.cells:q} 2>&1 | tee {log:q}"
