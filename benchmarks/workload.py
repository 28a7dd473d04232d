"""A workload in a process of its own, for :mod:`benchmarks.table`: each line of input asks for one round.

The process may belong to another checkout of the project, so this file uses nothing that only new versions have. Its
first answer names the package that it runs; each later one is a line of JSON: CPU-seconds, units of work, and a
digest of the results.
"""

import contextlib
import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn

import discourse_nmt
from benchmarks.random_documents import document
from benchmarks.training.packed import flat_step, random_instance
from benchmarks.training.speed import Plain, optimiser, random_batches
from discourse_nmt.base.settings import parse_settings
from discourse_nmt.base.vocabulary import BEGIN, END, PAD, SPECIALS, Vocabulary
from discourse_nmt.models.core.beam_search import beam_search
from discourse_nmt.models.core.inference import translate
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.packed.decoding.sequence import decode_as_sequences
from discourse_nmt.models.packed.decoding.waves import decode_in_waves
from discourse_nmt.models.packed.host import PackedTransformer
from discourse_nmt.models.packed.instances import Instance, SourceInstance
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.models.switches.transformer import TransformerSettings
from discourse_nmt.models.systems import build
from discourse_nmt.training.checkpoints.model_files import load_model
from discourse_nmt.training.data.collation import Batch
from discourse_nmt.training.tasks.instances import InstanceTask
from discourse_nmt.training.tasks.sentences import translation_objective

SIZE = {"width": 256, "heads": 4, "encoder_layers": 3, "decoder_layers": 3, "feed_forward_width": 1024}
SYMBOLS, SMOOTHING, LENGTH = 8000, 0.1, 25
BEAM = DecodingSettings(beam=5, max_length_ratio=1.0, max_length_offset=1)
CTRANSLATE2_SEARCH = {"beam_size": BEAM.beam, "length_penalty": BEAM.length_penalty}
HERE = Path(__file__).resolve().parents[1]
"""The checkout of this file. Its model and its sentences of manuals are those of all checkouts."""

Round = Callable[[], tuple[int, Any]]
"""Computes one round; returns the units of work done and the results."""
Prepare = Callable[[str, int], Round]
"""Makes the round of a precision and a number of symbols, which only translation regards."""


def network(system: str, **switches: Any) -> Any:
    """An untrained network; as it never ends a sentence, translations are about as long as their sources."""
    torch.manual_seed(1)
    return build(system, {**SIZE, **switches}, SYMBOLS, SYMBOLS, True)


def translator(system: str, precision: str, symbols: int, **switches: Any) -> Any:
    """Such a network, prepared to translate, if ``symbols`` is not 0 with a shortlist of about as many."""
    model = network(system, **switches).eval()
    # Old versions prepare nothing.
    with contextlib.suppress(ImportError):
        from discourse_nmt.models.core.preparation import prepare_for_inference

        settings: dict[str, Any] = {"precision": precision}
        if not symbols:
            prepare_for_inference(model, parse_settings(DecodingSettings, settings, "decoding"))
            return model
        rng = np.random.default_rng(1)
        listed = rng.choice(np.arange(len(SPECIALS), SYMBOLS), symbols, replace=False)
        translations = rng.choice(listed, (SYMBOLS, 50))
        settings["shortlist"] = translations.shape[1]
        prepare_for_inference(model, parse_settings(DecodingSettings, settings, "decoding"), translations)
    return model


def sentences(count: int) -> Prepare:
    """Translation of a batch of ``count`` sentences."""

    def prepare(precision: str, symbols: int) -> Round:
        model, rng = translator("transformer", precision, symbols), np.random.default_rng(1)
        ids = [rng.integers(len(SPECIALS), SYMBOLS, rng.integers(LENGTH - 5, LENGTH + 6)) for _ in range(count)]
        rows = [torch.tensor([BEGIN, *sentence, END]) for sentence in ids]
        source = nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=PAD)
        return lambda: (count, [found[0].ids for found in beam_search(model, source, BEAM)])

    return prepare


def help_model() -> Transformer:
    """A trained sentence model of manuals."""
    folder = HERE / "resources" / "help_models" / "en-de" / "seed1"
    vocabularies = (Vocabulary.load(folder / side / "vocabulary.json") for side in ("source", "target"))
    return cast(Transformer, load_model(folder / "weights.safetensors", *vocabularies))


def manual_sentences(count: int) -> list[list[int]]:
    """The subword ids of ``count`` sentences of manuals."""
    command = [sys.executable, "-m", "benchmarks.decoding.manual_sentences", str(count)]
    environment = {**os.environ, "PYTHONPATH": str(HERE)}
    lines = subprocess.run(command, cwd=HERE, env=environment, check=True, stdout=subprocess.PIPE).stdout
    return [json.loads(line) for line in lines.splitlines()]


def manual(count: int, **settings: Any) -> Prepare:
    """Translation of a batch of ``count`` sentences of manuals, from ids to ids."""

    def prepare(precision: str, _: int) -> Round:
        from discourse_nmt.models.core.preparation import prepare_for_inference

        values = {"beam": BEAM.beam, "precision": precision, "batch_tokens": 10**6, **settings}
        decoding = parse_settings(DecodingSettings, values, "decoding")
        model, sources = help_model(), manual_sentences(count)
        prepare_for_inference(model, decoding)
        return lambda: (count, [found[0].ids for _, found in sorted(translate(model, sources, decoding))])

    return prepare


def ctranslate2(model: Transformer, precision: str) -> Any:
    """CTranslate2's translator with the parameters of ``model``; a symbol is its number in digits."""
    from discourse_nmt.models.core.ctranslate2_engine import CTranslate2Engine

    return CTranslate2Engine(model, precision, torch.get_num_threads()).translator


def manual_by_ctranslate2(count: int) -> Prepare:
    """The same by CTranslate2 itself, which ends a search as by default: with as many translations as the beam."""

    def prepare(precision: str, _: int) -> Round:
        translator = ctranslate2(help_model(), precision)
        sources = [[str(symbol) for symbol in ids] for ids in manual_sentences(count)]

        def compute() -> tuple[int, list[tuple[int, ...]]]:
            results = translator.translate_batch(sources, **CTRANSLATE2_SEARCH)
            return count, [tuple(map(int, result.hypotheses[0])) for result in results]

        return compute

    return prepare


def documents(system: str, decode: Callable[..., Any], **switches: Any) -> Prepare:
    """Translation of a document of 20 sentences."""

    def prepare(precision: str, symbols: int) -> Round:
        model, rng = translator(system, precision, symbols, **switches), np.random.default_rng(1)
        made = document(rng.integers(LENGTH - 5, LENGTH + 6, 20), 10, SYMBOLS, rng)
        source = [SourceInstance(made.source, made.edus, made.heads)]
        return lambda: (20, [found[0].ids for found in decode(model, source, BEAM)[0]])

    return prepare


def step(parameters: Any, objective: Tensor, tokens: int) -> tuple[int, None]:
    """The rest of a training step after its ``objective``, the sum over ``tokens``."""
    parameters.zero_grad()
    (objective / tokens).backward()
    parameters.step()
    return tokens, None


def forward_precision(precision: str) -> contextlib.AbstractContextManager[Any]:
    """The context of forward passes in training."""
    return torch.autocast("cpu", torch.bfloat16) if precision == "bf16" else contextlib.nullcontext()


def training(reference: bool) -> Prepare:
    """A training step of the sentence model, or of the ``reference``: ``torch.nn.Transformer`` of the same size."""

    def prepare(precision: str, _: int) -> Round:
        batches = iter([*random_batches(20, 2000, SYMBOLS, 22)] * 100)
        settings = parse_settings(TransformerSettings, SIZE, "system transformer")
        model = Plain(settings, SYMBOLS) if reference else network("transformer")
        adam, objective = optimiser(model), translation_objective(SMOOTHING)

        def compute() -> tuple[int, None]:
            source, target = next(batches)
            read, written = target[:, :-1].masked_fill(target[:, :-1] == END, PAD), target[:, 1:]
            wanted = written != PAD
            tokens = int(wanted.sum())
            if reference:
                logits = model(source, target[:, :-1], wanted)
                losses = nn.functional.cross_entropy(logits, written[wanted], label_smoothing=SMOOTHING)
                return step(adam, losses * tokens, tokens)
            numbers = torch.arange(len(source))
            with forward_precision(precision):
                losses = objective(cast(Transformer, model), Batch(source, read, written, numbers, numbers)).objective
            return step(adam, losses, tokens)

        return compute

    return prepare


def instance_batches() -> list[list[Instance]]:
    """Batches of four documents, one for each step of training."""
    rng = np.random.default_rng(1)
    return [[random_instance(20, 512, SYMBOLS, rng) for _ in range(4)] for _ in range(4)] * 100


def instance_training(system: str, **switches: Any) -> Prepare:
    """A training step of a system that reads documents, from instances to updated weights."""

    def prepare(precision: str, _: int) -> Round:
        model, batches = network(system, **switches), iter(instance_batches())
        assert isinstance(model, PackedTransformer)
        adam, objective = optimiser(model), InstanceTask(model, None, None).objective(SMOOTHING)  # type: ignore[arg-type]

        def compute() -> tuple[int, None]:
            batch = model.pack(next(batches))
            with forward_precision(precision):
                losses = objective(model, batch).objective
            return step(adam, losses, batch.target_output.numel())

        return compute

    return prepare


def flat_training(precision: str, symbols: int) -> Round:
    """The same by ``torch.nn.Transformer``, which reads an instance as one sequence."""
    batches = iter(instance_batches())
    take_step = flat_step(Plain(parse_settings(TransformerSettings, SIZE, "system transformer"), SYMBOLS))

    def compute() -> tuple[int, None]:
        batch = next(batches)
        take_step(batch)
        return sum(len(ids) + 1 for instance in batch for ids in instance.target), None

    return compute


def flat_by_ctranslate2(precision: str, _: int) -> Round:
    """Translation of as many subwords as a document has, as one sentence, by CTranslate2."""
    translator = ctranslate2(network("transformer").eval(), precision)
    rng = np.random.default_rng(1)
    lengths = rng.integers(LENGTH - 5, LENGTH + 6, 20)
    source = [str(number) for number in rng.integers(len(SPECIALS), SYMBOLS, lengths.sum())]
    limits = {"max_input_length": 0, "max_decoding_length": len(source) + 20}
    return lambda: (20, len(translator.translate_batch([source], **limits, **CTRANSLATE2_SEARCH)))


def by_eole(precision: str, count: int = 0) -> Round:
    """The workload of a training step, or of translation of ``count`` sentences, by eole."""
    from benchmarks import eole_workload

    return eole_workload.sentences(count) if count else eole_workload.training(precision)


WORKLOADS: dict[str, Prepare] = {
    "8-sentences": sentences(8),
    "64-sentences": sentences(64),
    "8-of-manuals": manual(8),
    "64-of-manuals": manual(64),
    "8-by-engine": manual(8, engine="ctranslate2"),
    "64-by-engine": manual(64, engine="ctranslate2"),
    "8-by-ctranslate2": manual_by_ctranslate2(8),
    "64-by-ctranslate2": manual_by_ctranslate2(64),
    "sequence": documents("concat", decode_as_sequences),
    "rst-sequence": documents("rst_transformer", decode_as_sequences, rst_layers=1),
    "waves": documents("rst_transformer", decode_in_waves, rst_layers=1),
    "sentence-training": training(reference=False),
    "torch-training": training(reference=True),
    "concat-training": instance_training("concat"),
    "rst-training": instance_training("rst_transformer", rst_layers=2),
    "flat-training": flat_training,
    "flat-by-ctranslate2": flat_by_ctranslate2,
    "eole-training": lambda precision, _: by_eole(precision),
    "8-by-eole": lambda precision, _: by_eole(precision, 8),
    "64-by-eole": lambda precision, _: by_eole(precision, 64),
}


def main() -> None:
    name, precision, symbols, threads = sys.argv[1:]
    torch.set_num_threads(int(threads))
    compute = WORKLOADS[name](precision, int(symbols))
    print(discourse_nmt.__file__, flush=True)
    for _ in sys.stdin:
        start = time.process_time()
        units, results = compute()
        seconds = time.process_time() - start
        digest = hashlib.sha256(repr(results).encode()).hexdigest()
        print(json.dumps({"seconds": seconds, "units": units, "digest": digest}), flush=True)


if __name__ == "__main__":
    main()
