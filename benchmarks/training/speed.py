"""Training speed against a plain ``torch.nn.Transformer`` of the same size.

Both models have the same layers, dropouts, tied embeddings, loss (label-smoothed cross-entropy) and optimiser. In turn
they take one step each on the same random ragged batches, ours in fp32 and, where the processor has it, in bf16, the
reference in fp32. Prints target tokens per CPU-second of each, and the median over the batches of plain time / our time
(above 1: ours is faster).

    python -m benchmarks.training.speed --settings '{"width": 128, "heads": 4, "encoder_layers": 2,
        "decoder_layers": 2, "feed_forward_width": 512}' --vocabulary-size 1000
"""

import math
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from benchmarks.options import begin, model_arguments
from benchmarks.rounds import alternate
from discourse_nmt.base.settings import parse_settings
from discourse_nmt.base.vocabulary import BEGIN, END, PAD, SPECIALS
from discourse_nmt.models.core.embeddings import sinusoids
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.switches.transformer import TransformerSettings
from discourse_nmt.training.processes.devices import has_bf16
from discourse_nmt.training.tasks.loss import smoothed
from discourse_nmt.workflow_scripts.command import run

Batch = tuple[Tensor, Tensor]
SMOOTHING = 0.1
REFERENCE = "torch.nn.Transformer"


class Plain(nn.Module):
    """``torch.nn.Transformer`` with tied embeddings and sinusoidal positions."""

    def __init__(self, settings: TransformerSettings, vocabulary_size: int) -> None:
        super().__init__()
        self.width = settings.width
        self.embedding = nn.Embedding(vocabulary_size, settings.width)
        nn.init.normal_(self.embedding.weight, std=settings.width**-0.5)
        self.dropout = nn.Dropout(settings.dropout)
        self.transformer = nn.Transformer(
            settings.width,
            settings.heads,
            settings.encoder_layers,
            settings.decoder_layers,
            settings.feed_forward_width,
            settings.dropout,
            settings.activation,
            batch_first=True,
            norm_first=settings.norm == "pre",
        )
        # torch has one dropout for everything; ours has one for each use, so set each separately.
        for module in self.transformer.modules():
            if isinstance(module, nn.MultiheadAttention):
                module.dropout = settings.attention_dropout
            elif isinstance(module, nn.TransformerEncoderLayer | nn.TransformerDecoderLayer):
                module.dropout.p = settings.activation_dropout

    def embed(self, ids: Tensor) -> Tensor:
        """Scaled embeddings plus positions, [B, T, d]."""
        positions = sinusoids(torch.arange(ids.shape[1]), self.width)
        embedded: Tensor = self.dropout(self.embedding(ids) * math.sqrt(self.width) + positions)
        return embedded

    def forward(self, source_ids: Tensor, target_input: Tensor, wanted: Tensor) -> Tensor:
        """Logits of the positions where ``wanted`` is true."""
        padding = source_ids == PAD
        states = self.transformer(
            self.embed(source_ids),
            self.embed(target_input),
            tgt_mask=nn.Transformer.generate_square_subsequent_mask(target_input.shape[1]),
            src_key_padding_mask=padding,
            memory_key_padding_mask=padding,
            tgt_is_causal=True,
        )
        return F.linear(states[wanted], self.embedding.weight)


def random_batches(count: int, tokens: int, vocabulary_size: int, mean_length: float) -> list[Batch]:
    """Batches of sentences of similar length, source and target padded to at most ``tokens`` each."""
    generator = torch.Generator().manual_seed(1)
    lengths = torch.empty(count * int(4 * tokens / mean_length)).log_normal_(
        math.log(mean_length), 0.5, generator=generator
    )
    lengths = lengths.round().clamp(3, 200).long().sort().values
    batches: list[list[int]] = [[]]
    for length in lengths.tolist():
        if (length + 4) * (len(batches[-1]) + 1) > tokens:
            batches.append([])
        batches[-1].append(length)
    order = torch.randperm(len(batches), generator=generator)[:count].tolist()
    return [random_batch(batches[index], vocabulary_size, generator) for index in order]


def random_batch(lengths: list[int], vocabulary_size: int, generator: torch.Generator) -> Batch:
    """One sentence pair per length; the target is at most 2 tokens longer or shorter."""

    def side(difference: int) -> Tensor:
        rows = []
        for length in lengths:
            more = int(torch.randint(-difference, difference + 1, (1,), generator=generator))
            ids = torch.randint(len(SPECIALS), vocabulary_size, (max(1, length + more),), generator=generator)
            rows.append(torch.cat((torch.tensor([BEGIN]), ids, torch.tensor([END]))))
        return nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=PAD)

    return side(0), side(2)


def optimiser(model: nn.Module) -> torch.optim.Adam:
    """Adam as in training."""
    return torch.optim.Adam(model.parameters(), lr=1e-4, betas=(0.9, 0.98), eps=1e-9, fused=True)


def target_tokens(batches: list[Batch]) -> int:
    """The target symbols that the ``batches`` teach, without padding."""
    return sum(int((target[:, 1:] != PAD).sum()) for _, target in batches)


def plain_loss(logits: Tensor, wanted: Tensor) -> Tensor:
    """Mean loss of ``logits`` [n, V] for the symbols ``wanted`` [n], as torch computes it."""
    return F.cross_entropy(logits, wanted, label_smoothing=SMOOTHING)


def our_loss(model: Transformer, states: Tensor, wanted: Tensor) -> Tensor:
    """Mean loss of the ``model`` with the final ``states`` [n, d] for the symbols ``wanted`` [n], as in training."""
    return smoothed(states, model.output.weight, wanted, SMOOTHING).objective / len(wanted)


def train(adam: torch.optim.Optimizer, loss: Tensor) -> None:
    """The rest of a training step after its ``loss``: backward, update."""
    adam.zero_grad()
    loss.backward()
    adam.step()


def precisions() -> dict[str, AbstractContextManager[object]]:
    """The contexts of our forward passes, by the end of a contender's name."""
    bf16 = torch.autocast("cpu", torch.bfloat16)
    return {"": nullcontext(), ", bf16": bf16} if has_bf16("cpu") else {"": nullcontext()}


def stepper(model: Plain | Transformer, precision: AbstractContextManager[object]) -> Callable[[Batch], None]:
    """A function that takes one training step of ``model`` on a batch, forward in ``precision``."""
    adam = optimiser(model)

    def step(batch: Batch) -> None:
        source, target = batch
        wanted = target[:, 1:] != PAD
        inputs, symbols = (source, target[:, :-1], wanted), target[:, 1:][wanted]
        with precision:
            if isinstance(model, Plain):
                loss = plain_loss(model(*inputs), symbols)
            else:
                loss = our_loss(model, model.final_states(*inputs), symbols)
        train(adam, loss)

    return step


def main() -> None:
    parser = model_arguments(__doc__, settings={})
    parser.add_argument("--batch-tokens", type=int, default=2000, help="tokens per side and batch, padding included")
    parser.add_argument("--mean-length", type=float, default=22, help="median subwords per sentence")
    parser.add_argument("--batches", type=int, default=20, help="batches timed")
    options, _ = begin(parser)
    settings = parse_settings(TransformerSettings, options.settings, "system transformer")
    size = options.vocabulary_size
    steps = {
        f"ours{name}": stepper(Transformer(settings, size, size, True), precision)
        for name, precision in precisions().items()
    }
    steps[REFERENCE] = stepper(Plain(settings, size), nullcontext())
    batches = random_batches(options.batches, options.batch_tokens, size, options.mean_length)
    rounds = alternate(steps, batches, warm_up=batches[0])
    tokens = target_tokens(batches)
    for name in steps:
        ratio = rounds.ratio(name, REFERENCE)
        print(f"{name}: {tokens / rounds.total(name):.0f} target tokens per CPU-second, median ratio {ratio:.2f}")
    print(rounds.conditions)


if __name__ == "__main__":
    run(main)
