"""Tiny checkpoints of mBART and BART as Hugging Face's transformers writes them, with random weights."""

import io
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from sentencepiece import SentencePieceTrainer
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from torch import Tensor

from discourse_nmt.demo.generation import generate, sentences
from discourse_nmt.text.pieces.languages import MBART_25 as LANGUAGES

PIECES = 300
SIZES = {"mbart": PIECES + 2 + len(LANGUAGES), "bart": 400}
CONFIG: dict[str, Any] = {
    "d_model": 16,
    "encoder_layers": 3,
    "decoder_layers": 3,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 24,
    "decoder_ffn_dim": 24,
    "max_position_embeddings": 600,
    "activation_function": "gelu",
    "dropout": 0.1,
}


@cache
def demo_pairs() -> list[tuple[str, str]]:
    """Sentence pairs of the demo corpus."""
    frame = sentences(generate(40, seed=1)["train"])
    return list(zip(frame["source"], frame["target"]))


@cache
def sentencepiece_model() -> bytes:
    """A SentencePiece model like mBART's, of the demo's sentences."""
    model = io.BytesIO()
    lines = iter([line for pair in demo_pairs() for line in pair])
    SentencePieceTrainer.train(
        sentence_iterator=lines,
        model_writer=model,
        vocab_size=PIECES,
        character_coverage=1.0,  # "q" is rare
        minloglevel=2,
        num_threads=1,
    )
    return model.getvalue()


@cache
def byte_pairs() -> tuple[dict[str, int], list[tuple[str, str]]]:
    """Numbers of subwords and merges like BART's, of the demo's sentences."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=SIZES["bart"] - 1,
        special_tokens=["<s>", "<pad>", "</s>", "<unk>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator([line for pair in demo_pairs() for line in pair], trainer)
    merges = [tuple(pair) for pair in json.loads(tokenizer.to_str())["model"]["merges"]]
    return {**tokenizer.get_vocab(), "<mask>": SIZES["bart"] - 1}, merges


def config_of(kind: str, **changes: Any) -> dict[str, Any]:
    """The content of config.json."""
    return {**CONFIG, "model_type": kind, "vocab_size": SIZES[kind], "scale_embedding": kind == "mbart", **changes}


def shapes_of(config: Mapping[str, Any]) -> dict[str, list[int]]:
    """Names and shapes of the tensors that the configuration describes."""
    width, hidden = config["d_model"], config["encoder_ffn_dim"]
    linear = {"q_proj": (width, width), "k_proj": (width, width), "v_proj": (width, width), "out_proj": (width, width)}
    shapes: dict[str, list[int]] = {"shared.weight": [config["vocab_size"], width]}
    for stack, attentions in (("encoder", ["self_attn"]), ("decoder", ["self_attn", "encoder_attn"])):
        shapes[f"{stack}.embed_positions.weight"] = [config["max_position_embeddings"] + 2, width]
        norms = ["layernorm_embedding", *(["layer_norm"] if config["model_type"] == "mbart" else [])]
        for layer in range(config[f"{stack}_layers"]):
            place = f"layers.{layer}"
            norms += [f"{place}.{name}_layer_norm" for name in [*attentions, "final"]]
            parts = {f"{name}.{part}": size for name in attentions for part, size in linear.items()}
            for name, (inputs, outputs) in {**parts, "fc1": (width, hidden), "fc2": (hidden, width)}.items():
                shapes[f"{stack}.{place}.{name}.weight"] = [outputs, inputs]
                shapes[f"{stack}.{place}.{name}.bias"] = [outputs]
        shapes |= {f"{stack}.{name}.{part}": [width] for name in norms for part in ("weight", "bias")}
    return shapes


def random_tensors(config: Mapping[str, Any]) -> dict[str, Tensor]:
    """Random weights, names with ``model.`` as of a model with an output."""
    generator = torch.Generator().manual_seed(1)
    tensors = {
        f"model.{name}": torch.randn(shape, generator=generator) * 0.3 for name, shape in shapes_of(config).items()
    }
    return {**tensors, "final_logits_bias": torch.zeros(1, config["vocab_size"])}


def write_subwords(folder: Path, kind: str) -> None:
    """Write the files of the subwords."""
    if kind == "mbart":
        (folder / "sentencepiece.bpe.model").write_bytes(sentencepiece_model())
        return
    numbers, merges = byte_pairs()
    (folder / "vocab.json").write_text(json.dumps(numbers), encoding="utf-8")
    lines = ["#version: 0.2", *(" ".join(pair) for pair in merges)]
    (folder / "merges.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_checkpoint(
    folder: Path, kind: str = "mbart", *, tensors: Mapping[str, Tensor] | None = None, old: bool = False, **changes: Any
) -> dict[str, Tensor]:
    """Write a checkpoint; ``old`` writes pytorch_model.bin, ``changes`` are of config.json. Returns its tensors."""
    folder.mkdir(parents=True, exist_ok=True)
    config = config_of(kind, **changes)
    written = dict(random_tensors(config_of(kind)) if tensors is None else tensors)
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    if old:
        torch.save(written, folder / "pytorch_model.bin")
    else:
        save_file(written, folder / "model.safetensors", metadata={"format": "pt"})
    write_subwords(folder, kind)
    return written
