"""Tiny checkpoints made by transformers, and that library's own models and tokenisers."""

import io
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import torch
import transformers
from sentencepiece import SentencePieceProcessor, SentencePieceTrainer
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence
from transformers.models.m2m_100.tokenization_m2m_100 import FAIRSEQ_LANGUAGE_CODES as M2M_LANGUAGES

from discourse_nmt import ROOT
from discourse_nmt.text.pieces.languages import MBART_50, NLLB_200
from tests.unit.training.pretrained.pretrained_checkpoints import demo_pairs

transformers.logging.set_verbosity_error()
transformers.utils.logging.disable_progress_bar()

SIZES: dict[str, Any] = {
    "d_model": 16,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 32,
    "decoder_ffn_dim": 32,
    "dropout": 0.1,
}
SWITCHES: dict[str, dict[str, Any]] = {
    "marian": {"activation": "swish", "positions": "sinusoidal_marian", "marks": "end", "output_bias": True},
    "m2m_100": {"norm": "pre", "positions": "sinusoidal_fairseq", "marks": "language", "output_bias": True},
    "mbart50": {
        "activation": "gelu",
        "norm": "pre",
        "positions": "learned",
        "max_positions": 300,
        "embedding_norm": True,
        "marks": "language",
        "output_bias": True,
    },
}
KINDS = {
    "marian": "marian",
    "marian_multilingual": "marian",
    "marian_separate": "marian",
    "m2m_100": "m2m_100",
    "nllb": "m2m_100",
    "mbart50": "mbart50",
}
"""The checkpoints that can be made, and the switches of each."""


@cache
def lines() -> tuple[str, ...]:
    """Sentences of the demo in two languages, and lines of the licence."""
    text = [line.strip() for line in (ROOT / "LICENSE").read_text(encoding="utf-8").splitlines()]
    return (*(line for pair in demo_pairs() for line in pair), *(line for line in text if line))


@cache
def real_lines() -> tuple[str, ...]:
    """A thousand lines of documentation: prose, tables and code.

    Lines that spell a symbol, such as ``</s>`` or ``de_DE``, are left out: the library reads it as the symbol.
    """
    pages = sorted((ROOT / "docs").rglob("*.md"))
    text = [line.strip() for page in pages for line in page.read_text(encoding="utf-8").splitlines()]
    distinct = list(dict.fromkeys(line for line in text if line and not re.search(r"<|>>|[a-z]_[A-Z]|__", line)))
    return tuple(distinct[:: len(distinct) // 1000][:1000])


@cache
def pieces_model(algorithm: str, seed: int = 0, **special: Any) -> bytes:
    """A SentencePiece model of a part of :func:`lines`."""
    model = io.BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=iter(lines()[seed::6]),
        required_chars="".join(sorted({*"".join(lines())} - {" "})),
        model_writer=model,
        model_type=algorithm,
        vocab_size=400,
        minloglevel=2,
        num_threads=1,
        **special,
    )
    return model.getvalue()


def pieces_of(model: bytes) -> list[str]:
    """The pieces of a SentencePiece model."""
    processor = SentencePieceProcessor(model_proto=model)
    return [processor.IdToPiece(index) for index in range(processor.GetPieceSize())]


@dataclass(frozen=True)
class Reference:
    """A checkpoint in ``folder`` with the library's model and its tokenisation of both sides to rows."""

    folder: Path
    model: Any
    source_rows: Callable[[str], list[int]]
    target_rows: Callable[[str], list[int]]
    begin: tuple[int, ...]
    """The rows before a translation."""
    switches: dict[str, Any]
    text: dict[str, Any]
    """The section ``text`` of a corpus."""

    def translations(self, sources: Sequence[str], beam: int, kept: Sequence[int], special: Sequence[int]) -> list[Any]:
        """The rows of the best translations; of the rows ``kept`` all but ``special`` ones may be written."""
        allowed = torch.full((self.model.get_output_embeddings().weight.shape[0],), -torch.inf)
        allowed[list(kept)] = 0.0
        written = allowed.clone()
        written[list(special)] = -torch.inf

        def restrict(_: Tensor, scores: Tensor) -> Tensor:
            return (scores + allowed).log_softmax(-1) + written

        forced = {"forced_bos_token_id": self.begin[1]} if len(self.begin) > 1 else {}
        found = []
        for source in sources:
            output = self.model.generate(
                torch.tensor([self.source_rows(source)]),
                num_beams=beam,
                do_sample=False,
                length_penalty=0.0,
                max_new_tokens=40,
                min_new_tokens=len(self.begin),
                logits_processor=transformers.LogitsProcessorList([restrict]),
                **forced,
            )
            found.append(output[0].tolist()[len(self.begin) :])
        return found


def make(kind: str, folder: Path, **changes: Any) -> Reference:
    """Write a checkpoint of one of :data:`KINDS`; ``changes`` are of its configuration."""
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(3)
    text = {"subwords": "sentencepiece", "pretrained": str(folder), "truecase": False, "normalise": False}
    made = {"m2m_100": _m2m, "nllb": _nllb, "mbart50": _mbart}.get(kind)
    return _written(_marian(kind, folder, text, changes) if made is None else made(folder, text, changes))


def _filled(model: Any) -> Any:
    """The ``model`` with random weights in all of its tensors."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.requires_grad:
                parameter.normal_(1.0 if "norm" in name and name.endswith("weight") else 0.0, 0.2)
        if hasattr(model, "final_logits_bias"):
            model.final_logits_bias.normal_()
            model.final_logits_bias[0, model.config.eos_token_id] += 2.5
    return model.eval()


def _written(reference: Reference) -> Reference:
    """The ``reference`` in its folder, after some updates, so that its translations are not one word again and again.

    The best subword of each step is then far ahead of the second, so no processor's rounding changes a translation.
    Dropout is off, as the model is in evaluation mode.
    """
    pairs = demo_pairs()[:8]
    source, target = (
        [torch.tensor(rows(pair[side])) for pair in pairs]
        for side, rows in enumerate((reference.source_rows, reference.target_rows))
    )
    pad = reference.model.config.pad_token_id
    inputs = pad_sequence(source, batch_first=True, padding_value=pad)
    labels = pad_sequence(target, batch_first=True, padding_value=-100)
    adam = torch.optim.Adam(reference.model.parameters(), lr=0.015)
    for _ in range(100):
        adam.zero_grad()
        reference.model(inputs, attention_mask=inputs != pad, labels=labels).loss.backward()
        adam.step()
    reference.model.save_pretrained(reference.folder)
    return reference


def _switches(kind: str, scale: bool, **more: Any) -> dict[str, Any]:
    """The section ``model`` of a configuration that starts from the checkpoint."""
    sizes = {
        "width": SIZES["d_model"],
        "encoder_layers": SIZES["encoder_layers"],
        "decoder_layers": SIZES["decoder_layers"],
        "heads": SIZES["encoder_attention_heads"],
        "feed_forward_width": SIZES["encoder_ffn_dim"],
    }
    return {**sizes, **SWITCHES[kind], "embedding_scale": scale, **more}


def _marian(kind: str, folder: Path, text: dict[str, Any], changes: dict[str, Any]) -> Reference:
    sides: dict[str, list[str]] = {}
    for index, side in enumerate(("source", "target")):
        model = pieces_model("unigram", index, bos_id=-1, eos_id=0, unk_id=1)
        (folder / f"{side}.spm").write_bytes(model)
        sides[side] = pieces_of(model)[2:]
    languages = [">>deu<<", ">>nld<<"] if kind == "marian_multilingual" else []
    separate = kind == "marian_separate"
    both = {"vocab.json": sides["source"] if separate else list(dict.fromkeys(sides["source"] + sides["target"]))}
    if separate:
        both["target_vocab.json"] = sides["target"][:-20]  # pieces that the vocabulary lacks are unknown
    counts = {}
    for name, pieces in both.items():
        symbols = ["</s>", "<unk>", *pieces, *languages, "<pad>"]
        (folder / name).write_text(json.dumps({symbol: index for index, symbol in enumerate(symbols)}))
        counts[name] = len(symbols)
    size = counts["vocab.json"]
    target_size = counts.get("target_vocab.json", size)
    (folder / "tokenizer_config.json").write_text(json.dumps({"separate_vocabs": separate}))
    settings = {
        **SIZES,
        "vocab_size": size,
        "decoder_vocab_size": target_size,
        "max_position_embeddings": 300,
        "activation_function": "swish",
        "scale_embedding": True,
        "pad_token_id": target_size - 1,
        "decoder_start_token_id": target_size - 1,
        "eos_token_id": 0,
        "forced_eos_token_id": None,
        "share_encoder_decoder_embeddings": not separate,
        **changes,
    }
    network = _filled(transformers.MarianMTModel(transformers.MarianConfig(**settings)))
    tokenizer = transformers.MarianTokenizer.from_pretrained(folder, separate_vocabs=separate)
    mark = ">>deu<< " if languages else ""
    return Reference(
        folder,
        network,
        lambda line: tokenizer(mark + line)["input_ids"],
        lambda line: tokenizer(text_target=line)["input_ids"],
        (target_size - 1,),
        _switches("marian", True),
        {**text, **({"bpe": {"joint": False}} if separate else {})},
    )


def _multilingual(
    kind: str, folder: Path, network: Any, text: dict[str, Any], tokenizer: Any, codes: tuple[str, str]
) -> Reference:
    source, target = codes
    tokenizer.src_lang, tokenizer.tgt_lang = source, target
    language = tokenizer(text_target="x")["input_ids"][0]
    return Reference(
        folder,
        network,
        lambda line: tokenizer(line)["input_ids"],
        lambda line: tokenizer(text_target=line)["input_ids"],
        (2, language),
        _switches(kind, True),
        text,
    )


def _m2m(folder: Path, text: dict[str, Any], changes: dict[str, Any]) -> Reference:
    model = pieces_model("bpe")
    (folder / "sentencepiece.bpe.model").write_bytes(model)
    symbols = ["<s>", "<pad>", "</s>", "<unk>", *pieces_of(model)[3:][::-1]]
    (folder / "vocab.json").write_text(json.dumps({symbol: index for index, symbol in enumerate(symbols)}))
    size = len(symbols) + len(M2M_LANGUAGES["m2m100"]) + 8
    network = _m2m_network(size, changes)
    tokenizer = transformers.M2M100Tokenizer(str(folder / "vocab.json"), str(folder / "sentencepiece.bpe.model"))
    return _multilingual("m2m_100", folder, network, text, tokenizer, ("en", "de"))


def _m2m_network(size: int, changes: dict[str, Any]) -> Any:
    settings = {
        **SIZES,
        "vocab_size": size,
        "activation_function": "relu",
        "scale_embedding": True,
        "encoder_layerdrop": 0.0,
        "decoder_layerdrop": 0.0,
        "forced_eos_token_id": None,
        **changes,
    }
    return _filled(transformers.M2M100ForConditionalGeneration(transformers.M2M100Config(**settings)))


def _nllb(folder: Path, text: dict[str, Any], changes: dict[str, Any]) -> Reference:
    model = pieces_model("bpe")
    (folder / "sentencepiece.bpe.model").write_bytes(model)
    first = len(pieces_of(model)) + 1
    network = _m2m_network(first + len(NLLB_200) + 1 + 2, changes)
    network.config.save_pretrained(folder)
    tokenizer = transformers.NllbTokenizer.from_pretrained(folder)
    # Without the large tokenizer.json of real checkpoints the library does not know the languages, eng_Latn is 256047.
    english, german = (first + NLLB_200.index(code) for code in ("eng_Latn", "deu_Latn"))
    return Reference(
        folder,
        network,
        lambda line: [english, *tokenizer(line)["input_ids"][1:]],
        lambda line: [german, *tokenizer(line)["input_ids"][1:]],
        (2, german),
        _switches("m2m_100", True),
        text,
    )


def _mbart(folder: Path, text: dict[str, Any], changes: dict[str, Any]) -> Reference:
    model = pieces_model("unigram")
    (folder / "sentencepiece.bpe.model").write_bytes(model)
    settings = {
        **SIZES,
        "vocab_size": len(pieces_of(model)) + 1 + len(MBART_50) + 1,
        "max_position_embeddings": 300,
        "activation_function": "gelu",
        "scale_embedding": True,
        "decoder_start_token_id": 2,
        "forced_eos_token_id": None,
        **changes,
    }
    network = _filled(transformers.MBartForConditionalGeneration(transformers.MBartConfig(**settings)))
    network.config.save_pretrained(folder)
    tokenizer = transformers.MBart50Tokenizer.from_pretrained(folder)
    return _multilingual("mbart50", folder, network, text, tokenizer, ("en_XX", "de_DE"))
