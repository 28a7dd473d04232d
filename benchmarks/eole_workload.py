"""Workloads of :mod:`benchmarks.workload` by eole, the successor of OpenNMT-py, for comparison.

They run in an environment that :mod:`benchmarks.table` describes, with eole 0.6.4. Its search is its own; loss,
optimiser, batches and sizes are those of this project's workloads.
"""

import contextlib
import sys
import warnings
from types import SimpleNamespace
from typing import Any

import torch
import torch.nn.functional as F

from benchmarks.training.speed import optimiser, random_batches
from benchmarks.workload import BEAM, LENGTH, SIZE, SMOOTHING, SYMBOLS, Round, forward_precision, step
from discourse_nmt.base.vocabulary import BEGIN, END, PAD, SPECIALS
from discourse_nmt.models.switches.transformer import TransformerSettings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from eole.config.inference import InferenceConfig
    from eole.config.models import TransformerModelConfig
    from eole.config.training import TrainingConfig
    from eole.inputters.inputter import dict_to_vocabs
    from eole.models.model import EncoderDecoderModel
    from eole.predict.beam_search import GNMTGlobalScorer
    from eole.predict.translator import Translator

MARKS = {"pad_token": PAD, "bos_token": BEGIN, "eos_token": END, "unk_token": len(SPECIALS) - 1}


def network() -> tuple[Any, Any, Any]:
    """An untrained network of the sizes of this project's, with its vocabularies and configuration."""
    torch.manual_seed(1)
    words = [f"w{number}" for number in range(SYMBOLS)]
    vocabularies = dict_to_vocabs(
        {
            "src": words,
            "tgt": words,
            "specials": {name: words[number] for name, number in MARKS.items()},
            "decoder_start_token": words[BEGIN],
        }
    )
    model = TransformerModelConfig(
        architecture="transformer",
        layers=SIZE["encoder_layers"],
        hidden_size=SIZE["width"],
        transformer_ff=SIZE["feed_forward_width"],
        heads=SIZE["heads"],
        embeddings={"word_vec_size": SIZE["width"], "position_encoding_type": "SinusoidalInterleaved"},
        share_embeddings=True,
        share_decoder_embeddings=True,
    )
    dropout = TransformerSettings().dropout
    training = TrainingConfig(
        world_size=0, dropout=[dropout], attention_dropout=[0.0], param_init_method="xavier_uniform"
    )
    made = EncoderDecoderModel.build(model, vocabularies, training)
    made.init_weights(training)
    return made, vocabularies, model


def training(precision: str) -> Round:
    """A training step of the sentence model."""
    model = network()[0]
    batches, adam = iter([*random_batches(20, 2000, SYMBOLS, 22)] * 100), optimiser(model)

    def compute() -> tuple[int, None]:
        source, target = next(batches)
        wanted = target[:, 1:] != PAD
        tokens = int(wanted.sum())
        with forward_precision(precision):
            states = model(source, target, (source != PAD).sum(1)).dec_out[wanted]
            logits = model.generator(states)
        losses = F.cross_entropy(logits.float(), target[:, 1:][wanted], label_smoothing=SMOOTHING)
        return step(adam, losses * tokens, tokens)

    return compute


def sentences(count: int) -> Round:
    """Translation of a batch of ``count`` sentences, in single precision."""
    model, vocabularies, configuration = network()
    model.eval()
    for module in model.modules():
        if hasattr(module, "dropout_p"):
            module.dropout_p = 0.0
    settings = InferenceConfig(
        model_path="none",
        world_size=0,
        beam_size=BEAM.beam,
        max_length=LENGTH + 1,
        max_length_ratio=0,
        dynamic_shapes=True,
    )
    # What the command line of eole adds.
    others = {"transforms": [], "tgt_file_prefix": False, "seed": 1}
    running = SimpleNamespace(**settings.model_dump(), **others)
    scorer = GNMTGlobalScorer(BEAM.length_penalty, 0, "wu", "none")
    with contextlib.redirect_stdout(sys.stderr):  # the answers of a workload alone go to the output
        translator = Translator(
            model, vocabularies, running, configuration, device_id=-1, global_scorer=scorer, report_score=False
        )
    lengths = torch.full((count,), LENGTH + 2)
    source = torch.randint(len(SPECIALS), SYMBOLS, (count, LENGTH + 2))
    source[:, 0], source[:, -1] = BEGIN, END
    batch = {"src": source, "srclen": lengths, "left_pad": False}

    def compute() -> tuple[int, int]:
        with contextlib.redirect_stdout(sys.stderr):
            return count, len(translator.predict_batch(batch, False)["predictions"])

    return compute
