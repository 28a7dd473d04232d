"""Figures of analysers: analyses beside the one that they are compared with, and analysers trained on treebanks.

Requires: the annotation of the test sets by both analyses, or the scores of the rule evaluate_parsers.
Makes: <corpus>/discourse/<analysis>/<side>/figures/<split>.tsv, and tables of scores of the figures:
<corpus>/discourse/<analysis>/<side>/scores/<split>.tsv and parsers/<language>/rows/<treebank>.tsv.
"""

SCORE_TABLES += analysis_tables()


rule compare_analyses:
    input:
        predicted=compared_annotation(gold=False),
        gold=compared_annotation(gold=True),
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
        gold=lambda wildcards: f"{RESULTS}/{wildcards.corpus}/discourse/{gold_of(wildcards)}/{wildcards.side}",
        tables=lambda wildcards: compared_tables(wildcards.analysis),
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
        gold=gold_of,
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
