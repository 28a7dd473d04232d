"""Structure files beside a dataset: what systems read about the subwords beside the text, see discourse_nmt/training/kinds.py.

Requires: dataset/<split>.arrow, and the tables of text and of annotation that the kind is built from.
Makes: structure/<kind>/<analysis>/<split>.arrow; without <analysis> for a kind of tables of text alone
(structure/cache_words/), and structure/<kind>/<analysis>/<experiment>/seed<seed>/<split>.arrow for a kind that is also
built from a draft (structure/graphs/).
"""


rule build_structure:
    input:
        unpack(plan.structures.tables),
        imported=ancient(STATISTICS),
        dataset=f"{RESULTS}/{{corpus}}/dataset/{{split}}.arrow",
    output:
        structure=f"{RESULTS}/{{corpus}}/structure/{{kind}}/{{analysis}}/{{split}}.arrow",
    log:
        f"{RESULTS}/logs/{{corpus}}/build_structure/{{kind}}/{{analysis}}/{{split}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/build_structure/{{kind}}/{{analysis}}/{{split}}.tsv"
    wildcard_constraints:
        kind=plan.structures.regex(annotated=True, drafted=False),
    conda:
        "../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=memory(2000, fixed=1000, per_megabyte=100, shards=plan.corpora.shard_count),
        runtime=240,
    params:
        code=plan.structures.code,
        tables=plan.structures.table_options,
        options=plan.structures.builder_options,
        # No input: a fresh clone has the list elsewhere. Its content counts.
        stop_words=plan.structures.stop_words,
    shell:
        "python -m discourse_nmt.workflow_scripts.structures.build_structure --kind {wildcards.kind} --dataset {input.dataset:q} "
        "--tables {params.tables:q} {params.options:q} --output {output.structure:q} 2>&1 | tee {log:q}"


use rule build_structure as build_text_structure with:
    output:
        structure=f"{RESULTS}/{{corpus}}/structure/{{kind}}/{{split}}.arrow",
    log:
        f"{RESULTS}/logs/{{corpus}}/build_text_structure/{{kind}}/{{split}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/build_text_structure/{{kind}}/{{split}}.tsv"
    wildcard_constraints:
        kind=plan.structures.regex(annotated=False, drafted=False),


use rule build_structure as build_draft_structure with:
    input:
        unpack(plan.structures.tables),
        dataset=f"{RESULTS}/{{corpus}}/dataset/{{split}}.arrow",
    output:
        structure=f"{RESULTS}/{{corpus}}/structure/{{kind}}/{{analysis}}/{{experiment}}/seed{{seed}}/{{split}}.arrow",
    log:
        f"{DRAFT_LOGS}/build_draft_structure/{{kind}}/{{analysis}}/{{split}}.log",
    benchmark:
        f"{DRAFT_BENCHMARKS}/build_draft_structure/{{kind}}/{{analysis}}/{{split}}.tsv"
    wildcard_constraints:
        kind=plan.structures.regex(annotated=True, drafted=True),
