"""From corpus files to the `sentences` table.

Requires: the files that config `corpora.<name>.splits` names.
Makes: results/<run>/<corpus>/corpus/<split>/<shard>.parquet, drops.tsv and statistics.tsv beside them; for the
demo also results/<run>/generated/ (generated texts, gold annotation, contrastive items).
"""


rule generate_demo:
    output:
        texts=DEMO_TEXTS,
        contrastive=DEMO_CONTRASTIVE,
        gold=DEMO_GOLD,
    log:
        f"{RESULTS}/logs/generate_demo.log",
    benchmark:
        f"{RESULTS}/benchmarks/generate_demo.tsv"
    conda:
        "../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000),
        runtime=10,
    params:
        folder=lambda wildcards, output: str(Path(output.texts[0]).parent),
        code=code("corpus.generate_demo"),
        documents=config["demo"]["documents"],
        seed=config["demo"]["seed"],
    shell:
        "python -m discourse_nmt.workflow_scripts.corpus.generate_demo --documents {params.documents} --seed {params.seed} "
        "--output {params.folder:q} 2>&1 | tee {log:q}"


# One rule per corpus: the splits and shards that an import makes differ from corpus to corpus. A checkpoint, after which
# Snakemake looks again at the jobs that have one of its files as input: shards that are as before need no job.
for name in config["corpora"]:

    checkpoint:
        name:
            f"import_corpus_{name}"
        input:
            files=corpus_files(name),
        output:
            shards=[path for split in splits(name) for path in shards("corpus", name, split)],
            drops=f"{RESULTS}/{name}/corpus/drops.parquet",
            summary=f"{RESULTS}/{name}/corpus/drops.tsv",
            statistics=f"{RESULTS}/{name}/corpus/statistics.tsv",
        log:
            f"{RESULTS}/logs/{name}/import_corpus.log",
        benchmark:
            f"{RESULTS}/benchmarks/{name}/import_corpus.tsv"
        conda:
            "../envs/text.yaml"
        threads: 1
        resources:
            mem_mb=memory(1000, per_megabyte=20),
            runtime=60,
        params:
            folder=lambda wildcards, output: str(Path(output.statistics).parent),
            code=code("corpus.import_corpus"),
            settings=settings("corpus", name),
        shell:
            "python -m discourse_nmt.workflow_scripts.corpus.import_corpus --settings {params.settings:q} --output {params.folder:q} "
            "2>&1 | tee {log:q}"
