"""The sentence Transformer with the weights of a corpus's pretrained checkpoint, which experiments may start from.

Requires: the directory text.pretrained, text/<side>/vocabulary.json.
Makes: pretrained/model.safetensors.
"""


rule import_pretrained:
    input:
        subwords=lambda wildcards: CHECKPOINTS[wildcards.corpus]["subwords"],
        network=lambda wildcards: CHECKPOINTS[wildcards.corpus]["network"],
        source_vocabulary=f"{RESULTS}/{{corpus}}/text/source/vocabulary.json",
        target_vocabulary=f"{RESULTS}/{{corpus}}/text/target/vocabulary.json",
    output:
        model=f"{RESULTS}/{{corpus}}/pretrained/model.safetensors",
    log:
        f"{RESULTS}/logs/{{corpus}}/import_pretrained.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{corpus}}/import_pretrained.tsv"
    conda:
        "../envs/network.yaml"
    threads: 1
    resources:
        mem_mb=memory(2000, per_megabyte=5),
        runtime=60,
    params:
        code=lambda wildcards: code("text.import_pretrained", *subword_modules(wildcards.corpus)),
        text=lambda wildcards: settings("text", wildcards.corpus),
    shell:
        "python -m discourse_nmt.workflow_scripts.text.import_pretrained --text-settings {params.text:q} "
        "--source-vocabulary {input.source_vocabulary:q} --target-vocabulary {input.target_vocabulary:q} "
        "--output {output.model:q} 2>&1 | tee {log:q}"
