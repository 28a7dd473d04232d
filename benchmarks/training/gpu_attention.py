"""Training on a GPU with and without cuDNN's attention, which builds a plan for each new shape of a batch.

One model takes, in bf16, a step on the same random ragged batches in turn with torch's own choice of an attention
kernel, which is cuDNN's on recent GPUs, and with the others alone. The shapes of the batches differ, as in training.
Prints the target tokens per second of each, and the median over the batches of the time with cuDNN / the time without.

    python -m benchmarks.training.gpu_attention --settings '{"width": 512, "heads": 8, "encoder_layers": 6,
        "decoder_layers": 6, "feed_forward_width": 2048}' --batch-tokens 8000
"""

import time
from collections.abc import Callable

import torch

from benchmarks.options import begin, model_arguments
from benchmarks.rounds import alternate
from benchmarks.training.speed import Batch, random_batches, stepper, target_tokens
from discourse_nmt.base.settings import parse_settings
from discourse_nmt.models.core.inference import device_named
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.switches.transformer import TransformerSettings
from discourse_nmt.workflow_scripts.command import run


def timed(step: Callable[[Batch], None], cudnn: bool) -> Callable[[Batch], float]:
    """The ``step`` on a batch, and the seconds until the GPU has ended it."""

    def seconds_of_step(batch: Batch) -> float:
        torch.backends.cuda.enable_cudnn_sdp(cudnn)
        source, target = batch
        on_gpu = source.cuda(), target.cuda()
        torch.cuda.synchronize()
        start = time.perf_counter()
        step(on_gpu)
        torch.cuda.synchronize()
        return time.perf_counter() - start

    return seconds_of_step


def main() -> None:
    parser = model_arguments(__doc__)
    parser.add_argument("--batch-tokens", type=int, default=8000, help="tokens per side and batch, padding included")
    parser.add_argument("--mean-length", type=float, default=22, help="median subwords per sentence")
    parser.add_argument("--batches", type=int, default=40, help="batches timed")
    options, _ = begin(parser)
    settings = parse_settings(TransformerSettings, options.settings, "system transformer")
    size = options.vocabulary_size
    device = device_named("cuda")
    step = stepper(Transformer(settings, size, size, True).to(device), torch.autocast("cuda", torch.bfloat16))
    # The first batch only warms up, as its shape would be known when it is timed.
    first, *batches = random_batches(options.batches + 1, options.batch_tokens, size, options.mean_length)
    contenders = {"with cuDNN": timed(step, True), "without": timed(step, False)}
    rounds = alternate(contenders, batches, warm_up=first, seconds_of=float)
    tokens = target_tokens(batches)
    for name in contenders:
        ratio = rounds.ratio(name, "with cuDNN")
        print(f"{name}: {tokens / rounds.total(name):,.0f} target tokens per second, ratio {ratio:.2f}")
    print(f"{torch.cuda.get_device_name()}; {rounds.conditions}")


if __name__ == "__main__":
    run(main)
