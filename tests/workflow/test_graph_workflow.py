"""Word graphs in the real DAG, for a language without models: what runs, what is said, and what a change runs again."""

from pathlib import Path

import pandas as pd
import pytest
import yaml

from discourse_nmt.base.storage.tables import read_table
from discourse_nmt.training.checkpoints.model_files import read_tensors
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.structures.graphs import SourceAndDraftGraphFile
from tests.workflow.test_discourse_workflow import clone
from tests.workflow.test_workflow import NOTHING, planned, snakemake

SAID = "no builtin {} for the language it: the graph's relation {} is empty"
SENTENCES = ["Il gatto nero dorme.", "Un cane vede il gatto.", "Il cane nero corre."]
CONFIG = {
    "run": "graphs",
    "corpora": {
        "letters": {
            "source_language": "it",
            "target_language": "es",
            "format": "table",
            "shards": 1,
            "splits": {"train": {"files": ["train.tsv"]}, "dev": {"files": ["dev.tsv"]}},
        }
    },
    "analyses": {"builtin": {"tables": ["document_graph"]}},
    "experiments": {"sentence": {"system": "transformer"}},
}


def configured(folder: Path, **graph: object) -> Path:
    path = folder / "config.yaml"
    analyses = {"builtin": {"tables": ["document_graph"], "graph": graph}}
    path.write_text(yaml.safe_dump({**CONFIG, "analyses": analyses}), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project that tests may edit."""
    return clone(tmp_path_factory.mktemp("checkout"))


@pytest.fixture(scope="module")
def finished(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory with the graphs of all documents."""
    folder = tmp_path_factory.mktemp("work")
    for split, names in {"train": "abc", "dev": "d"}.items():
        lines = [f"{name}\t{text}\t{text}" for name in names for text in SENTENCES]
        (folder / f"{split}.tsv").write_text("\n".join(["doc_id\tsource\ttarget", *lines, ""]), encoding="utf-8")
    result = snakemake(folder, "--configfile", str(configured(folder)), "--", "analyse", checkout=checkout)
    assert result.returncode == 0, result.stdout
    for said in (SAID.format("syntax", "dependency"), SAID.format("coreference", "coreference")):
        assert result.stdout.count(said) == 1
    return folder


def plan(folder: Path, checkout: Path, config: Path, *targets: str) -> set[str]:
    """Names of the rules that a dry run would execute."""
    options = ("--dry-run", "--configfile", str(config), "--", *targets)
    result = snakemake(folder, *options, checkout=checkout)
    assert result.returncode == 0, result.stdout
    return planned(result.stdout) - {"analyse"}


def test_relations_that_need_no_model_are_there(finished: Path) -> None:
    files = finished.glob("results/graphs/letters/discourse/builtin/source/document_graph/*/*.parquet")
    graph = pd.concat([read_table(path, "document_graph") for path in files])
    assert set(graph["doc_id"]) == set("abcd")
    counts = graph["relation"].value_counts()
    # il 3, gatto 2, nero 2 and cane 2 times, and neighbours in sentences of five and six tokens.
    assert counts["lexical"] == 4 * (3 + 1 + 1 + 1) and counts["adjacency"] == 4 * 2 * (4 + 5 + 4)
    assert set(counts.index) == {"adjacency", "lexical"}


def test_a_second_call_runs_nothing(finished: Path, checkout: Path) -> None:
    result = snakemake(finished, "--configfile", str(configured(finished)), "--", "analyse", checkout=checkout)
    assert NOTHING in result.stdout


def test_settings_and_code_run_the_graphs_alone(finished: Path, checkout: Path, tmp_path: Path) -> None:
    other = configured(tmp_path, lexical_filter=2, coreference_links="all_pairs")
    assert plan(finished, checkout, other, "analyse") == {"build_graph"}
    path = checkout / "discourse_nmt/discourse/graph/relations.py"
    original = path.read_text(encoding="utf-8")
    path.write_text(original + "\nCHANGED = True\n", encoding="utf-8")
    assert plan(finished, checkout, configured(finished), "analyse") == {"build_graph"}
    path.write_text(original, encoding="utf-8")


def test_adjacency_needs_no_analysis(finished: Path, checkout: Path, tmp_path: Path) -> None:
    config = configured(tmp_path, relations=["adjacency"])
    (tmp_path / "train.tsv").symlink_to(finished / "train.tsv")
    (tmp_path / "dev.tsv").symlink_to(finished / "dev.tsv")
    assert plan(tmp_path, checkout, config, "analyse") == {"import_corpus_letters", "tokenise", "build_graph"}


def test_the_plot_of_graph_sizes(finished: Path, checkout: Path) -> None:
    drawing = "results/graphs/letters/graph_size/builtin/source/train.svg"
    options = ("--configfile", str(configured(finished)), "--", drawing)
    result = snakemake(finished, *options, checkout=checkout)
    assert result.returncode == 0, result.stdout
    assert (finished / drawing).read_text(encoding="utf-8").startswith("<svg")
    assert len(pd.read_csv((finished / drawing).with_suffix(".tsv"), sep="\t")) == 3 * 21


def with_experiments(folder: Path, seeds: list[int], **training: object) -> Path:
    """A sentence model, and systems that read graphs of the source, of its draft, and of earlier sentences of that."""
    path = folder / "experiments.yaml"
    relations = ["adjacency", "lexical"]
    graphs = {"system": "document_graph", "seeds": seeds}
    config = {
        **CONFIG,
        "analyses": {"builtin": {"graph": {"relations": relations}}},
        "model": {"encoder_layers": 1, "decoder_layers": 1, "width": 8, "feed_forward_width": 8, "heads": 2},
        "training": {"max_updates": 1, "evaluate_every": 1},
        "decoding": {"beam": 1, "max_length_ratio": 0.0, "max_length_offset": 3},
        "experiments": {
            "sentence": {"system": "transformer", "training": training},
            "source": {
                **graphs,
                "initialised_from": "sentence",
                "settings": {"relations": relations, "target_graph": "none"},
            },
            "both": {**graphs, "initialised_from": "sentence", "settings": {"relations": relations}},
            "earlier": {
                **graphs,
                "initialised_from": "both",
                "settings": {"relations": relations, "draft": "earlier"},
                "training": {"learning_rate": 0.0},
            },
        },
    }
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    return path


DRAFT_RULES = {
    "draft_sentences",
    "tokenise_draft",
    "apply_bpe_to_draft",
    "analyse_draft_syntax",
    "build_draft_graph",
    "build_draft_structure",
}


@pytest.fixture(scope="module")
def trained(finished: Path, checkout: Path) -> Path:
    """The working directory with translations of all systems."""
    config = with_experiments(finished, [1])
    result = snakemake(finished, "--configfile", str(config), "--", "translate", checkout=checkout)
    assert result.returncode == 0, result.stdout
    return finished


def test_drafts_are_made_once_by_the_first_stage(trained: Path, checkout: Path) -> None:
    """Also for a system that starts from one which read them, and for another seed that the first stage has not."""
    folder = trained / "results/graphs/letters"
    assert sorted(str(path.relative_to(folder / "structure")) for path in folder.glob("structure/**/*.arrow")) == [
        f"{kind}/{split}.arrow"
        for kind in ("graph/builtin", "graphs/builtin/sentence/seed1")
        for split in ("dev", "train")
    ]
    drafted = read_table(folder / "drafts/sentence/seed1/corpus/train/0.parquet", "sentences")
    translations = read_table(folder / "experiments/sentence/seed1/translations/train.parquet", "translations")
    found = drafted.set_index(["doc_id", "sent_id"])["target"]
    assert found.to_dict() == translations.set_index(["doc_id", "sent_id"])["hypothesis"].str.strip().to_dict()
    config = with_experiments(trained, [1, 2])
    assert plan(trained, checkout, config, "translate") == {
        "train_model",
        "translate_split",
        "write_translations",
        "translate",
    }


def test_the_graph_of_a_draft_is_that_of_its_words(trained: Path) -> None:
    folder = trained / "results/graphs/letters"
    dataset = ParallelDataset(folder / "dataset/train.arrow")
    graphs = SourceAndDraftGraphFile(folder / "structure/graphs/builtin/sentence/seed1/train.arrow", dataset)
    tokens = read_table(folder / "drafts/sentence/seed1/text/tokens/train/0.parquet", "tokens")
    words = tokens[(tokens["side"] == "target") & (tokens["doc_id"] == "a")]["tokens"]
    assert len(graphs[0:3].sides["target"].words) == words.map(len).sum()


def test_another_decoding_of_a_model_leaves_it_as_it_is(trained: Path) -> None:
    folder = trained / "results/graphs/letters/experiments"
    models = [read_tensors(folder / f"{name}/seed1/model.safetensors")[0] for name in ("both", "earlier")]
    assert models[0].keys() == models[1].keys()
    assert all(models[0][name].equal(models[1][name]) for name in models[0])


def test_another_first_stage_makes_other_drafts(trained: Path, checkout: Path, tmp_path: Path) -> None:
    config = with_experiments(tmp_path, [1], label_smoothing=0.2)
    rules = plan(trained, checkout, config, "translate")
    assert rules == {"train_model", "translate_split", "write_translations", "translate", *DRAFT_RULES}


def test_systems_that_read_the_source_graph_alone_need_no_draft(checkout: Path, trained: Path, tmp_path: Path) -> None:
    for name in ("train.tsv", "dev.tsv"):
        (tmp_path / name).symlink_to(trained / name)
    config = with_experiments(tmp_path, [1])
    model = "results/graphs/letters/experiments/source/seed1/model.safetensors"
    assert not plan(tmp_path, checkout, config, model) & {*DRAFT_RULES, "translate_split"}
