"""Speed of the whole English analysis of raw text, and what share each analyser has of it.

    python -m benchmarks.analysis_throughput --files resources/documents/*.txt

Words per CPU-second of the fastest of --rounds rounds, one thread; loading the models, drawing and writing are not
counted. With --profile the functions that take most time are printed instead.
"""

import cProfile
import pstats
import time
from pathlib import Path
from typing import Any

import torch

from discourse_nmt.corpus.storage.files import read_text
from discourse_nmt.discourse.pipeline import Pipeline, count, load_pipeline
from discourse_nmt.workflow_scripts.command import arguments, run


class Stopwatch:
    """Stands before an analyser and adds up the CPU-seconds of one of its methods."""

    def __init__(self, analyser: Any, method: str) -> None:
        self.seconds = 0.0
        self._inner = getattr(analyser, method)
        setattr(analyser, method, self._timed)

    def _timed(self, *arguments: Any, **settings: Any) -> Any:
        began = time.process_time()
        try:
            return self._inner(*arguments, **settings)
        finally:
            self.seconds += time.process_time() - began


def measure(pipeline: Pipeline, texts: list[str], rounds: int) -> None:
    watches = {
        "sentences and words": Stopwatch(pipeline.segmenter, "segment"),
        "joint network": Stopwatch(pipeline.analysers.joint, "analyse"),
        "RST parser": Stopwatch(pipeline.analysers.parser, "parse"),
        "coreference": Stopwatch(pipeline.analysers.resolver, "resolve"),
    }
    best, shares, words, units = float("inf"), {}, 0, 0
    for _ in range(rounds):
        before = {name: watch.seconds for name, watch in watches.items()}
        began = time.process_time()
        counts = [count(analysis) for analysis in pipeline.analyse_in_turn(texts)]
        seconds = time.process_time() - began
        words, units = (sum(one[name] for one in counts) for name in ("words", "discourse units"))
        if seconds < best:
            best, shares = seconds, {name: watch.seconds - before[name] for name, watch in watches.items()}
    shares["themes and the rest"] = best - sum(shares.values())
    print(f"{words:,} words, {units:,} discourse units: {words / best:,.0f} words per CPU-second")
    for name, seconds in shares.items():
        print(f"{name}: {100 * seconds / best:.0f} %, {words / seconds:,.0f} words per CPU-second")


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--files", nargs="+", type=Path, required=True, help="English texts, one document each")
    parser.add_argument("--repeat", type=int, default=4, help="how often the texts are analysed in a round")
    parser.add_argument("--rounds", type=int, default=3, help="rounds; the fastest counts")
    parser.add_argument("--weights", default="resources/analysers/en", metavar="FOLDER", help="models to measure")
    parser.add_argument("--profile", action="store_true", help="print a profile of one round")
    given = parser.parse_args()
    torch.set_num_threads(1)
    pipeline = load_pipeline(given.weights)
    texts = [read_text(path) for path in given.files] * given.repeat
    list(pipeline.analyse_in_turn(texts[:2]))  # first calls allocate
    if given.profile:
        with cProfile.Profile() as profile:
            list(pipeline.analyse_in_turn(texts))
        pstats.Stats(profile).sort_stats("tottime").print_stats(40)
    else:
        measure(pipeline, texts, given.rounds)


if __name__ == "__main__":
    run(main)
