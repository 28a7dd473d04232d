"""Speed of the whole English analysis of raw text, and the share of each analyser.

    python -m benchmarks.analysis.pipeline --files resources/documents/*.txt

Prints words per CPU-second of the fastest of --rounds rounds, with one thread. Loading of models, drawing and writing
are not counted. With --profile it prints the functions that take most time instead.
"""

import cProfile
import pstats
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from benchmarks.rounds import alternate
from discourse_nmt.base.storage.files import read_text
from discourse_nmt.discourse.pipeline import Pipeline, count, load_pipeline
from discourse_nmt.workflow_scripts.command import arguments, run


class Stopwatch:
    """Wraps a method of an analyser and adds up its CPU-seconds."""

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

    def analyse(documents: Sequence[str]) -> tuple[list[dict[str, int]], dict[str, float]]:
        """Counts of each document, and CPU-seconds of each analyser."""
        before = {name: watch.seconds for name, watch in watches.items()}
        analyses = pipeline.analyse_in_turn(list(documents))
        counts = [count(analysis) for analysis in analyses if not isinstance(analysis, Exception)]
        return counts, {name: watch.seconds - before[name] for name, watch in watches.items()}

    measured = alternate({"analysis": analyse}, [texts] * rounds, warm_up=texts[:2])
    best = measured.best("analysis")
    counts, seconds_of = measured.results["analysis"][measured.seconds["analysis"].index(best)]
    words, units = (sum(document[name] for document in counts) for name in ("words", "discourse units"))
    seconds_of["themes and the rest"] = best - sum(seconds_of.values())
    print(f"{words:,} words, {units:,} discourse units: {words / best:,.0f} words per CPU-second")
    for name, seconds in seconds_of.items():
        print(f"{name}: {100 * seconds / best:.0f} %, {words / seconds:,.0f} words per CPU-second")
    print(measured.conditions)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--files", nargs="+", type=Path, required=True, help="English texts, one document each")
    parser.add_argument("--repeat", type=int, default=4, help="how often the texts are analysed in a round")
    parser.add_argument("--rounds", type=int, default=3, help="rounds; the fastest counts")
    parser.add_argument("--weights", default="resources/analysers/en", metavar="FOLDER", help="models to measure")
    parser.add_argument("--profile", action="store_true", help="print a profile of one round")
    options = parser.parse_args()
    torch.set_num_threads(1)
    pipeline = load_pipeline(options.weights)
    texts = [read_text(path) for path in options.files] * options.repeat
    if options.profile:
        list(pipeline.analyse_in_turn(texts[:2]))  # first calls allocate
        with cProfile.Profile() as profile:
            list(pipeline.analyse_in_turn(texts))
        pstats.Stats(profile).sort_stats("tottime").print_stats(40)
    else:
        measure(pipeline, texts, options.rounds)


if __name__ == "__main__":
    run(main)
