"""Test suites of discourse: splits of a corpus that systems are asked about instead of being scored by BLEU.

Requires: the files that config `corpora.<name>.suites` names, and every trained model.
Makes: results/<run>/<corpus>/corpus/<suite>/<shard>.parquet, which all stages take for a split, suites/<suite>.parquet
(what is asked), and experiments/<experiment>/seed<seed>/suites/<suite>.tsv. Scores of contrastive suites are made by
score_contrastive, translations of others by translate_split.
"""

SCORE_TABLES += suite_tables()
CONTRASTIVE = {
    name: CONTRASTIVE[name]
    | {suite: suite_items(name, suite) for suite in suites(name) if not is_generated(name, suite)}
    for name in config["corpora"]
}

# One rule per suite: each has files of its own.
for name, suite in [(name, suite) for name in config["corpora"] for suite in suites(name)]:

    rule:
        name:
            f"import_suite_{name}_{suite}"
        input:
            files=suite_files(name, suite),
        output:
            shards=shards("corpus", name, suite),
            table=suite_items(name, suite),
        log:
            f"{RESULTS}/logs/{name}/import_suite/{suite}.log",
        benchmark:
            f"{RESULTS}/benchmarks/{name}/import_suite/{suite}.tsv"
        conda:
            "../envs/text.yaml"
        threads: 1
        resources:
            mem_mb=memory(1000, per_megabyte=40),
            runtime=60,
        params:
            folder=lambda wildcards, output: str(Path(output.shards[0]).parent),
            suite=suite,
            code=code("corpus.import_suite"),
            settings=suite_settings(name, suite),
            shards=config["corpora"][name]["shards"],
            control_characters=config["corpora"][name]["control_characters"],
        shell:
            "python -m discourse_nmt.workflow_scripts.corpus.import_suite --suite {params.suite:q} --settings {params.settings:q} "
            "--shards {params.shards} --control-characters {params.control_characters} --output {params.folder:q} "
            "--items {output.table:q} 2>&1 | tee {log:q}"


rule score_suite:
    input:
        results=suite_results,
    output:
        scores=f"{RESULTS}/{{corpus}}/experiments/{{experiment}}/seed{{seed}}/suites/{{split}}.tsv",
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
        system=lambda wildcards: system_of(wildcards.experiment),
        kind=lambda wildcards: "--expected" if is_generated(wildcards.corpus, wildcards.split) else "--contrastive",
    shell:
        "python -m discourse_nmt.workflow_scripts.score.score_suite {params.kind} {input.results:q} --corpus {wildcards.corpus:q} "
        "--experiment {wildcards.experiment:q} --system {params.system:q} --seed {wildcards.seed:q} "
        "--test-set {wildcards.split:q} --output {output.scores:q} 2>&1 | tee {log:q}"
