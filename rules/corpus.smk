"""From corpus files to the `sentences` table, for corpora and test suites.

Requires: the files that config `corpora.<name>.splits` and `.suites` name.
Makes: results/<run>/<corpus>/corpus/<split>/<shard>.parquet, documents/<split>.parquet (their order), drops.tsv,
statistics.tsv and quality.tsv beside them; corpus/<suite>/ in the same form, which all stages take for a split, and
suites/<suite>.parquet, the items of a suite, and <suite>.rules.tsv, the scores of rules on one of address; for the
demo also results/<run>/generated/ (generated texts, gold annotation, contrastive items).
"""


rule generate_demo:
    output:
        texts=plan.files.demo_texts,
        contrastive=plan.files.demo_contrastive,
        gold=plan.files.demo_gold,
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
        documents=configuration.demo.documents,
        seed=configuration.demo.seed,
    shell:
        "python -m discourse_nmt.workflow_scripts.corpus.generate_demo --documents {params.documents} --seed {params.seed} "
        "--output {params.folder:q} 2>&1 | tee {log:q}"


# A file on a server that is not there yet; see DataFiles.to_download.
for number, (path, url, sha256) in enumerate(plan.data.to_download()):

    rule:
        name:
            f"download_{number}"
        input:
            downloaded=storage.http(url),
        output:
            path,
        log:
            f"{RESULTS}/logs/download/{number}.log",
        conda:
            "../envs/text.yaml"
        threads: 1
        resources:
            mem_mb=memory(500),
            runtime=600,
        params:
            url=url,
            sha256=sha256,
            code=code("corpus.keep_download"),
        shell:
            "python -m discourse_nmt.workflow_scripts.corpus.keep_download --url {params.url:q} --downloaded {input.downloaded:q} "
            "--sha256 {params.sha256} --output {output:q} 2>&1 | tee {log:q}"


# One rule per corpus, and per language of the analysers, with a section data. The files themselves are no outputs: which
# they are shows when they are there, and Snakemake would remove them before another attempt.
for name in plan.data.owners:

    rule:
        name:
            plan.data.rule_name(name)
        input:
            plan.data.downloaded(name),
            plan.data.before(name),
        output:
            plan.data.manifest(name),
        log:
            f"{RESULTS}/logs/{name}/fetch_data.log",
        benchmark:
            f"{RESULTS}/benchmarks/{name}/fetch_data.tsv"
        conda:
            "../envs/text.yaml"
        threads: 1
        resources:
            mem_mb=memory(1000),
            runtime=600,
        params:
            code=code("corpus.fetch_data"),
            settings=plan.data.settings(name),
            patterns=plan.data.patterns(name),
            where=plan.data.where(name),
        shell:
            "python -m discourse_nmt.workflow_scripts.corpus.fetch_data --settings {params.settings:q} "
            "--patterns {params.patterns:q} --where={params.where:q} --output {output:q} 2>&1 | tee {log:q}"


# One rule per corpus: the splits and shards that an import makes differ from corpus to corpus. A checkpoint, after which
# Snakemake looks again at the jobs that have one of its files as input: shards that are as before need no job.
for name, sources in plan.corpora.sources.items():

    checkpoint:
        name:
            f"import_corpus_{name}"
        input:
            files=sources,
        output:
            shards=[path for split in plan.corpora.splits(name) for path in plan.files.shards("corpus", name, split)],
            repeats=[plan.files.repeats(name, split) for split in plan.corpora.splits(name) if split != "train"],
            documents=[
                plan.files.document_order(name, split) for split in plan.corpora.splits(name) if split != "train"
            ],
            drops=f"{RESULTS}/{name}/corpus/drops.parquet",
            summary=f"{RESULTS}/{name}/corpus/drops.tsv",
            statistics=f"{RESULTS}/{name}/corpus/statistics.tsv",
        log:
            f"{RESULTS}/logs/{name}/import_corpus.log",
        benchmark:
            f"{RESULTS}/benchmarks/{name}/import_corpus.tsv"
        conda:
            plan.corpora.import_environment(name)
        threads: 1
        resources:
            mem_mb=memory(1000, per_megabyte=20, most=8000),
            runtime=60,
        params:
            folder=lambda wildcards, output: str(Path(output.statistics).parent),
            code=code("corpus.import_corpus", *plan.corpora.splitter_modules(name)),
            files=plan.corpora.splitter_digest(name),
            settings=plan.parameters.settings_of("corpus", name),
        shell:
            "python -m discourse_nmt.workflow_scripts.corpus.import_corpus --settings {params.settings:q} --output {params.folder:q} "
            "2>&1 | tee {log:q}"


# Early: what it warns of is better known before a training than after it.
rule measure_corpus:
    input:
        imported=ancient(STATISTICS),
        sentences=lambda wildcards: paths(plan.corpora.sentences(wildcards.corpus)),
    output:
        table=plan.files.quality("{corpus}"),
    log:
        f"{RESULTS}/logs/{{corpus}}/measure_corpus.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/measure_corpus.tsv"
    priority: 1
    conda:
        plan.corpora.tokeniser_environment
    threads: 1
    resources:
        mem_mb=memory(1000, per_megabyte=20, most=4000),
        runtime=60,
    params:
        code=plan.parameters.tokeniser_code("corpus.measure_corpus"),
        files=plan.corpora.tokeniser_digest,
        settings=plan.parameters.settings("text"),
        near_duplicates=plan.corpora.near_duplicates_option,
        sentences=lambda wildcards: named(plan.corpora.sentences(wildcards.corpus)),
    shell:
        "python -m discourse_nmt.workflow_scripts.corpus.measure_corpus --settings {params.settings:q} "
        "{params.near_duplicates:q} --statistics {input.imported:q} --sentences {params.sentences:q} "
        "--output {output.table:q} 2>&1 | tee {log:q}"


# One rule per suite: each has files of its own.
for (name, suite), sources in plan.corpora.suite_sources.items():

    rule:
        name:
            f"import_suite_{name}_{suite}"
        input:
            files=sources,
        output:
            shards=plan.files.shards("corpus", name, suite),
            table=plan.corpora.suite_items(name, suite),
            documents=plan.files.document_order(name, suite),
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
            settings=plan.corpora.suite_settings(name, suite),
            source_language=configuration.corpora[name].source_language,
            target_language=configuration.corpora[name].target_language,
            shards=configuration.corpora[name].shard_count,
            control_characters=configuration.corpora[name].control_characters,
        shell:
            "python -m discourse_nmt.workflow_scripts.corpus.import_suite --suite {params.suite:q} --settings {params.settings:q} "
            "--source-language {params.source_language:q} --target-language {params.target_language:q} "
            "--shards {params.shards} --control-characters {params.control_characters} --output {params.folder:q} "
            "--items {output.table:q} --documents {output.documents:q} 2>&1 | tee {log:q}"


# What repetition gets right on a suite of address, as rows beside the systems.
rule measure_address_rules:
    input:
        train=plan.files.all_shards("corpus", "train"),
        sentences=plan.corpora.suite_sentences,
        documents=plan.corpora.suite_documents,
    output:
        scores=f"{RESULTS}/{{corpus}}/suites/{{suite}}.rules.tsv",
    log:
        f"{RESULTS}/logs/{{corpus}}/measure_address_rules/{{suite}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/measure_address_rules/{{suite}}.tsv"
    conda:
        "../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000, per_megabyte=20, most=8000),
        runtime=60,
    params:
        code=code("corpus.measure_address_rules"),
        language=plan.corpora.target_language,
    shell:
        "python -m discourse_nmt.workflow_scripts.corpus.measure_address_rules --train {input.train:q} "
        "--sentences {input.sentences:q} --documents {input.documents:q} --language {params.language:q} "
        "--corpus {wildcards.corpus:q} --suite {wildcards.suite:q} --output {output.scores:q} 2>&1 | tee {log:q}"
