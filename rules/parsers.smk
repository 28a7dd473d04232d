"""The weights of the builtin analysers, trained again from treebanks, and their scores.

Requires: the treebanks that the configuration names under parsers.
Makes: results/<run>/parsers/<language>/: treebanks/<treebank>/ as the analysers read them, folds/<fold>/ with syntax
as a network sees it that was trained without it, weights/, figures/ of training, and scores/<treebank>.tsv. Checkpoints lie in
work/<run>/parsers/<language>/, which no rule declares.
Resources: soft_runtime as for train_model.
"""


rule prepare_treebank:
    input:
        files=plan.parsers.treebank_files,
    output:
        folder=directory(f"{PARSERS}/{{language}}/treebanks/{{treebank}}"),
    log:
        f"{RESULTS}/logs/parsers/prepare_treebank/{{language}}/{{treebank}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/parsers/prepare_treebank/{{language}}/{{treebank}}.tsv"
    conda:
        "../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=memory(2000),
        runtime=30,
    params:
        code=code("parsers.prepare_treebank"),
        conllu=plan.parsers.treebank_option("conllu"),
        kept=plan.parsers.treebank_option("kept"),
        rst=plan.parsers.treebank_option("rst"),
        coreference=plan.parsers.treebank_option("coreference"),
        steps=plan.parsers.treebank_option("steps"),
        folds=plan.parsers.treebank_option("folds"),
        part=plan.parsers.treebank_option("part"),
        sentences=plan.parsers.treebank_option("sentences"),
    shell:
        "python -m discourse_nmt.workflow_scripts.parsers.prepare_treebank --conllu {params.conllu:q} --kept {params.kept:q} --rst {params.rst:q} "
        "--coreference {params.coreference:q} --language {wildcards.language} --steps {params.steps} "
        "--folds {params.folds} --part {params.part} --sentences {params.sentences} "
        "--output {output.folder:q} 2>&1 | tee {log:q}"


rule train_segmenter:
    input:
        train=plan.parsers.prepared("train"),
        more=plan.parsers.prepared("more"),
        dev=plan.parsers.prepared("dev"),
    output:
        weights=f"{PARSERS}/{{language}}/weights/segmenter.safetensors",
        description=f"{PARSERS}/{{language}}/weights/segmenter.json",
        figures=f"{PARSERS}/{{language}}/figures/segmenter.json",
    log:
        f"{RESULTS}/logs/parsers/train_segmenter/{{language}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/parsers/train_segmenter/{{language}}.tsv"
    conda:
        "../envs/network.yaml"
    threads: 1
    resources:
        mem_mb=memory(3000),
        runtime=120,
        soft_runtime=0,
    params:
        code=code("parsers.train_segmenter"),
        work=f"{WORK}/parsers/{{language}}/segmenter",
        folder=subpath(output.weights, parent=True),
        train=plan.parsers.conllu("train"),
        more=plan.parsers.conllu("more"),
        dev=plan.parsers.conllu("dev"),
        genres=plan.parsers.option("genres"),
        settings=plan.parsers.option("segmenter"),
    shell:
        "OMP_NUM_THREADS={threads} python -m discourse_nmt.workflow_scripts.parsers.train_segmenter --treebank {params.train:q} "
        "--genres {params.genres:q} --more {params.more:q} --development {params.dev:q} "
        "--settings {params.settings:q} --figures {output.figures:q} "
        "--work {params.work:q} --code {params.code:q} --time-limit {resources.soft_runtime} "
        "--output {params.folder:q} 2>&1 | tee -i {log:q}"


rule write_simplified:
    output:
        table=f"{PARSERS}/{{language}}/weights/simplified.json",
    log:
        f"{RESULTS}/logs/parsers/write_simplified/{{language}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/parsers/write_simplified/{{language}}.tsv"
    conda:
        "../envs/network.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000),
        runtime=10,
    params:
        code=code("parsers.write_simplified"),
        folder=subpath(output.table, parent=True),
    shell:
        "python -m discourse_nmt.workflow_scripts.parsers.write_simplified --output {params.folder:q} 2>&1 | tee {log:q}"


rule train_teacher:
    input:
        train=plan.parsers.prepared("train"),
        more=plan.parsers.prepared("more"),
        dev=plan.parsers.prepared("dev"),
        files=plan.parsers.teacher_files,
    output:
        weights=f"{PARSERS}/{{language}}/teachers/{{member}}/joint.safetensors",
        description=f"{PARSERS}/{{language}}/teachers/{{member}}/joint.json",
        figures=f"{PARSERS}/{{language}}/figures/teacher_{{member}}.json",
    log:
        f"{RESULTS}/logs/parsers/train_teacher/{{language}}/{{member}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/parsers/train_teacher/{{language}}/{{member}}.tsv"
    conda:
        "../envs/network.yaml"
    threads: 1
    resources:
        mem_mb=memory(8000),
        runtime=480,
        soft_runtime=0,
    params:
        code=code("parsers.train_analyser"),
        work=f"{WORK}/parsers/{{language}}/teachers/{{member}}",
        folder=subpath(output.weights, parent=True),
        train=plan.parsers.conllu("train"),
        more=plan.parsers.conllu("more"),
        dev=plan.parsers.conllu("dev"),
        genres=plan.parsers.option("genres"),
        teaches=plan.parsers.option("more_teaches"),
        guidelines=plan.parsers.option("guidelines"),
        pretrained=plan.parsers.pretrained_option,
        network=plan.parsers.option("network"),
        training=plan.parsers.teacher_training,
    shell:
        "OMP_NUM_THREADS={threads} python -m discourse_nmt.workflow_scripts.parsers.train_analyser --treebank {params.train:q} "
        "--genres {params.genres:q} --syntax {params.more:q} --syntax-teaches {params.teaches} --guidelines {params.guidelines} "
        "--development {params.dev:q} --settings {params.network:q} --training {params.training:q} "
        "{params.pretrained:q} --figures {output.figures:q} "
        "--work {params.work:q} --code {params.code:q} --time-limit {resources.soft_runtime} "
        "--output {params.folder:q} 2>&1 | tee -i {log:q}"


rule annotate_texts:
    input:
        texts=plan.parsers.teacher_files,
        segmenter=rules.train_segmenter.output.weights,
        teachers=plan.parsers.teacher_weights,
    output:
        annotated=f"{PARSERS}/{{language}}/teachers/annotated.conllu",
    log:
        f"{RESULTS}/logs/parsers/annotate_texts/{{language}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/parsers/annotate_texts/{{language}}.tsv"
    conda:
        "../envs/network.yaml"
    threads: 1
    resources:
        mem_mb=memory(4000),
        runtime=240,
    params:
        code=code("parsers.raw_text.annotate_texts"),
        texts=plan.parsers.teacher_texts,
        segmenter=subpath(input.segmenter, parent=True),
        teachers=plan.parsers.teacher_folders,
    shell:
        "OMP_NUM_THREADS={threads} python -m discourse_nmt.workflow_scripts.parsers.raw_text.annotate_texts --texts {params.texts:q} "
        "--segmenter {params.segmenter:q} --teachers {params.teachers:q} --output {output.annotated:q} 2>&1 | tee {log:q}"


rule train_joint_network:
    input:
        train=plan.parsers.prepared("train"),
        more=plan.parsers.prepared("more"),
        silver=plan.parsers.silver,
        vectors=plan.parsers.vector_files,
        dev=plan.parsers.prepared("dev"),
    output:
        weights=f"{PARSERS}/{{language}}/weights/joint.safetensors",
        description=f"{PARSERS}/{{language}}/weights/joint.json",
        figures=f"{PARSERS}/{{language}}/figures/joint.json",
    log:
        f"{RESULTS}/logs/parsers/train_joint_network/{{language}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/parsers/train_joint_network/{{language}}.tsv"
    conda:
        "../envs/network.yaml"
    threads: 1
    resources:
        mem_mb=memory(4000),
        runtime=240,
        soft_runtime=0,
    params:
        code=code("parsers.train_analyser"),
        work=f"{WORK}/parsers/{{language}}/joint",
        folder=subpath(output.weights, parent=True),
        train=plan.parsers.conllu("train"),
        more=plan.parsers.conllu("more"),
        dev=plan.parsers.conllu("dev"),
        genres=plan.parsers.option("genres"),
        teaches=plan.parsers.option("more_teaches"),
        guidelines=plan.parsers.option("guidelines"),
        silver=plan.parsers.silver,
        vectors=plan.parsers.vector_options,
        notice=plan.parsers.notice_option,
        network=plan.parsers.option("network"),
        training=plan.parsers.option("training"),
    shell:
        "OMP_NUM_THREADS={threads} python -m discourse_nmt.workflow_scripts.parsers.train_analyser --treebank {params.train:q} "
        "--genres {params.genres:q} --syntax {params.more:q} --syntax-teaches {params.teaches} --guidelines {params.guidelines} "
        "--silver {params.silver:q} "
        "--development {params.dev:q} --settings {params.network:q} --training {params.training:q} "
        "{params.vectors:q} {params.notice:q} --figures {output.figures:q} "
        "--work {params.work:q} --code {params.code:q} --time-limit {resources.soft_runtime} "
        "--output {params.folder:q} 2>&1 | tee -i {log:q}"


rule train_units:
    input:
        joint=rules.train_joint_network.output,
        units=plan.parsers.unit_folder,
        dev=plan.parsers.prepared("dev"),
    output:
        weights=f"{PARSERS}/{{language}}/weights/units.safetensors",
        description=f"{PARSERS}/{{language}}/weights/units.json",
        figures=f"{PARSERS}/{{language}}/figures/units.json",
    log:
        f"{RESULTS}/logs/parsers/train_units/{{language}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/parsers/train_units/{{language}}.tsv"
    conda:
        "../envs/network.yaml"
    threads: 1
    resources:
        mem_mb=memory(4000),
        runtime=120,
        soft_runtime=0,
    params:
        code=code("parsers.train_units"),
        work=f"{WORK}/parsers/{{language}}/units",
        folder=subpath(output.weights, parent=True),
        units=plan.parsers.unit_conllu,
        dev=plan.parsers.conllu("dev"),
        training=plan.parsers.unit_training,
        threshold=plan.parsers.unit_option("threshold"),
        notice=plan.parsers.unit_option("notice"),
    shell:
        "OMP_NUM_THREADS={threads} python -m discourse_nmt.workflow_scripts.parsers.train_units --treebank {params.units:q} "
        "--genres --development {params.dev:q} --training {params.training:q} --threshold {params.threshold} "
        "--notice={params.notice:q} --figures {output.figures:q} "
        "--work {params.work:q} --code {params.code:q} --time-limit {resources.soft_runtime} "
        "--analyser {params.folder:q} 2>&1 | tee -i {log:q}"


rule annotate_units:
    input:
        joint=rules.train_joint_network.output,
        units=plan.parsers.prepared("units"),
    output:
        annotated=f"{PARSERS}/{{language}}/units/annotated.conllu",
    log:
        f"{RESULTS}/logs/parsers/annotate_units/{{language}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/parsers/annotate_units/{{language}}.tsv"
    conda:
        "../envs/network.yaml"
    threads: 1
    resources:
        mem_mb=memory(3000),
        runtime=60,
    params:
        code=code("parsers.annotate_treebank"),
        folder=lambda wildcards: f"{PARSERS}/{wildcards.language}/weights",
        units=plan.parsers.conllu("units"),
    shell:
        "OMP_NUM_THREADS={threads} python -m discourse_nmt.workflow_scripts.parsers.annotate_treebank "
        "--conllu {params.units:q} --analyser {params.folder:q} --output {output.annotated:q} 2>&1 | tee {log:q}"


rule annotate_fold:
    input:
        train=plan.parsers.prepared("train"),
        more=plan.parsers.prepared("more"),
        silver=plan.parsers.silver,
        vectors=plan.parsers.vector_files,
    output:
        annotated=f"{PARSERS}/{{language}}/folds/{{fold}}/annotated.conllu",
        weights=temp(f"{PARSERS}/{{language}}/folds/{{fold}}/joint.safetensors"),
        description=temp(f"{PARSERS}/{{language}}/folds/{{fold}}/joint.json"),
    log:
        f"{RESULTS}/logs/parsers/annotate_fold/{{language}}/{{fold}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/parsers/annotate_fold/{{language}}/{{fold}}.tsv"
    conda:
        "../envs/network.yaml"
    threads: 1
    resources:
        mem_mb=memory(4000),
        runtime=240,
        soft_runtime=0,
    params:
        code=code("parsers.train_analyser"),
        work=f"{WORK}/parsers/{{language}}/folds/{{fold}}",
        folder=subpath(output.weights, parent=True),
        train=plan.parsers.conllu("train"),
        more=plan.parsers.conllu("more"),
        genres=plan.parsers.option("genres"),
        teaches=plan.parsers.option("more_teaches"),
        guidelines=plan.parsers.option("guidelines"),
        silver=plan.parsers.silver,
        vectors=plan.parsers.vector_options,
        network=plan.parsers.option("network"),
        training=plan.parsers.fold_training,
        folds=plan.parsers.option("folds"),
    shell:
        "OMP_NUM_THREADS={threads} python -m discourse_nmt.workflow_scripts.parsers.train_analyser --treebank {params.train:q} "
        "--genres {params.genres:q} --syntax {params.more:q} --syntax-teaches {params.teaches} --guidelines {params.guidelines} "
        "--silver {params.silver:q} {params.vectors:q} --settings {params.network:q} --training {params.training:q} --folds {params.folds} "
        "--fold {wildcards.fold} --annotated {output.annotated:q} "
        "--work {params.work:q} --code {params.code:q} --time-limit {resources.soft_runtime} "
        "--output {params.folder:q} 2>&1 | tee -i {log:q}"


rule project_trees:
    input:
        texts=plan.parsers.parallel_text("rst"),
        first=plan.parsers.projecting_weights("rst"),
        segmenter=rules.train_segmenter.output.weights,
        joint=rules.train_joint_network.output.weights,
    output:
        folder=directory(f"{PARSERS}/{{language}}/projected/rst"),
    log:
        f"{RESULTS}/logs/parsers/project_trees/{{language}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/parsers/project_trees/{{language}}.tsv"
    conda:
        "../envs/network.yaml"
    threads: 1
    resources:
        mem_mb=memory(4000),
        runtime=240,
    params:
        code=code("parsers.projection.project_trees"),
        parallel=plan.parsers.projection_option("rst", "parallel"),
        more=plan.parsers.projection_option("rst", "more"),
        language=plan.parsers.projection_option("rst", "language"),
        first=plan.parsers.projecting_folder("rst"),
        second=subpath(input.joint, parent=True),
    shell:
        "OMP_NUM_THREADS={threads} python -m discourse_nmt.workflow_scripts.parsers.projection.project_trees "
        "--parallel {params.parallel:q} --more {params.more:q} --from {params.language} --to {wildcards.language} "
        "--analysers {params.first:q} {params.second:q} --output {output.folder:q} 2>&1 | tee {log:q}"


rule project_coreference:
    input:
        texts=plan.parsers.parallel_text("coreference"),
        first=plan.parsers.projecting_weights("coreference"),
        segmenter=rules.train_segmenter.output.weights,
        joint=rules.train_joint_network.output.weights,
    output:
        folder=directory(f"{PARSERS}/{{language}}/projected/coreference"),
    log:
        f"{RESULTS}/logs/parsers/project_coreference/{{language}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/parsers/project_coreference/{{language}}.tsv"
    conda:
        "../envs/network.yaml"
    threads: 1
    resources:
        mem_mb=memory(4000),
        runtime=240,
    params:
        code=code("parsers.projection.project_coreference"),
        parallel=plan.parsers.projection_option("coreference", "parallel"),
        more=plan.parsers.projection_option("coreference", "more"),
        language=plan.parsers.projection_option("coreference", "language"),
        first=plan.parsers.projecting_folder("coreference"),
        second=subpath(input.joint, parent=True),
    shell:
        "OMP_NUM_THREADS={threads} python -m discourse_nmt.workflow_scripts.parsers.projection.project_coreference "
        "--parallel {params.parallel:q} --more {params.more:q} --from {params.language} --to {wildcards.language} "
        "--analysers {params.first:q} {params.second:q} --output {output.folder:q} 2>&1 | tee {log:q}"


rule train_rst_parser:
    input:
        joint=rules.train_joint_network.output,
        annotated=plan.parsers.annotated_trees,
        trees=plan.parsers.prepared_trees,
    output:
        weights=f"{PARSERS}/{{language}}/weights/rst.safetensors",
        description=f"{PARSERS}/{{language}}/weights/rst.json",
    log:
        f"{RESULTS}/logs/parsers/train_rst_parser/{{language}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/parsers/train_rst_parser/{{language}}.tsv"
    conda:
        "../envs/network.yaml"
    threads: 1
    resources:
        mem_mb=memory(6000),
        runtime=480,
        soft_runtime=0,
    params:
        code=code("parsers.train_rst_parser"),
        work=f"{WORK}/parsers/{{language}}/rst",
        folder=subpath(output.weights, parent=True),
        # Gold syntax beside predicted: the parser learns from both what each construction says.
        annotated=plan.parsers.syntax_of_trees,
        trees=plan.parsers.trees,
        paragraphs=lambda wildcards, input: f"{input.trees[0]}/conllu/*.conllu",
        genres=plan.parsers.option("genres"),
        settings=plan.parsers.analyser_option("rst", "settings"),
        training=plan.parsers.analyser_option("rst", "training"),
    shell:
        "OMP_NUM_THREADS={threads} python -m discourse_nmt.workflow_scripts.parsers.train_rst_parser --trees {params.trees:q} "
        "--annotated {params.annotated:q} --paragraphs {params.paragraphs:q} --analyser {params.folder:q} "
        "--genres {params.genres:q} --settings {params.settings:q} --training {params.training:q} "
        "--work {params.work:q} --code {params.code:q} --time-limit {resources.soft_runtime} "
        "--output {params.folder:q} 2>&1 | tee -i {log:q}"


rule train_coreference:
    input:
        annotated=plan.parsers.annotated_chains,
        chains=plan.parsers.folder_of_chains,
    output:
        weights=f"{PARSERS}/{{language}}/weights/coreference.safetensors",
        description=f"{PARSERS}/{{language}}/weights/coreference.json",
    log:
        f"{RESULTS}/logs/parsers/train_coreference/{{language}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/parsers/train_coreference/{{language}}.tsv"
    conda:
        "../envs/network.yaml"
    threads: 1
    resources:
        mem_mb=memory(6000),
        runtime=480,
        soft_runtime=0,
    params:
        code=code("parsers.train_coreference"),
        work=f"{WORK}/parsers/{{language}}/coreference",
        folder=subpath(output.weights, parent=True),
        annotated=plan.parsers.syntax_of_chains,
        more_annotated=plan.parsers.more_syntax_of_chains,
        chains=plan.parsers.chains,
        genres=plan.parsers.option("genres"),
        settings=plan.parsers.analyser_option("coreference", "settings"),
        training=plan.parsers.analyser_option("coreference", "training"),
        resolving=plan.parsers.analyser_option("coreference", "resolving"),
    shell:
        "OMP_NUM_THREADS={threads} python -m discourse_nmt.workflow_scripts.parsers.train_coreference --treebank {params.chains:q} --language {wildcards.language} "
        "--annotated {params.annotated:q} --more-annotated {params.more_annotated:q} --genres {params.genres:q} "
        "--settings {params.settings:q} --training {params.training:q} --resolving {params.resolving:q} "
        "--work {params.work:q} --code {params.code:q} --time-limit {resources.soft_runtime} "
        "--output {params.folder:q} 2>&1 | tee -i {log:q}"


rule evaluate_parsers:
    input:
        treebank=rules.prepare_treebank.output.folder,
        weights=plan.parsers.weights,
    output:
        scores=f"{PARSERS}/{{language}}/scores/{{treebank}}.tsv",
        genres=f"{PARSERS}/{{language}}/scores/{{treebank}}_by_genre.tsv",
    log:
        f"{RESULTS}/logs/parsers/evaluate_parsers/{{language}}/{{treebank}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/parsers/evaluate_parsers/{{language}}/{{treebank}}.tsv"
    conda:
        "../envs/network.yaml"
    threads: 1
    resources:
        mem_mb=memory(3000),
        runtime=60,
    params:
        code=code("commands.evaluate_analysers"),
        folder=lambda wildcards: f"{PARSERS}/{wildcards.language}/weights",
    shell:
        "python -m discourse_nmt evaluate-analysers --treebank {input.treebank:q} --language {wildcards.language} "
        "--analysers {params.folder:q} --output {output.scores:q} --by-genre {output.genres:q} --threads {threads} "
        "2>&1 | tee {log:q}"
