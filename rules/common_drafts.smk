"""Helpers of the rules of draft translations."""

DRAFTS = f"{RESULTS}/{{corpus}}/drafts/{{experiment}}/seed{{seed}}"
DRAFT_STORES = f"{WORK}/{{corpus}}/drafts/{{experiment}}/seed{{seed}}"
DRAFT_LOGS = f"{RESULTS}/logs/{{corpus}}/drafts/{{experiment}}/seed{{seed}}"
DRAFT_BENCHMARKS = f"{RESULTS}/benchmarks/{{corpus}}/drafts/{{experiment}}/seed{{seed}}"


def draft_of(experiment, seed):
    """The training run whose translations are the draft of an experiment's: that of its first stage, and the seed."""
    while (before := config["experiments"][experiment]["initialised_from"]) not in (None, PRETRAINED):
        experiment, seed = before, seed_in(before, seed)
    return experiment, seed


def text_folder(wildcards):
    """The folder of the text that is read, the corpus's or that of a draft."""
    corpus = f"{RESULTS}/{wildcards.corpus}"
    return (
        f"{corpus}/drafts/{wildcards.experiment}/seed{wildcards.seed}" if "experiment" in wildcards.keys() else corpus
    )


def draft_tables(wildcards):
    """Input function of a graph file with a draft: the draft's tables of all shards."""
    root = f"drafts/{wildcards.experiment}/seed{wildcards.seed}"
    tables = {
        "draft_tokens": "text/tokens",
        "draft_subwords": "text/subwords",
        "draft_document_graph": f"discourse/{wildcards.analysis}/target/document_graph",
    }
    return {name: shards(f"{root}/{path}", wildcards.corpus, wildcards.split) for name, path in tables.items()}
