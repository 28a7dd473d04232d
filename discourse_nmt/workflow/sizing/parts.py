"""Jobs among which the translation of a split, or the scoring of its contrastive items, is divided by documents."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.jobs.files import Files
from discourse_nmt.workflow.jobs.interface import InputFunction, NamedInput, Wildcards
from discourse_nmt.workflow.sizing.pairs import counted_pairs, estimated_pairs

MOST = 256  # jobs of a split, so that the workflow stays plannable


@dataclass(frozen=True)
class PartPlan:
    """The parts of a run. Their number changes no result: see :mod:`discourse_nmt.training.data.parts`."""

    config: Configuration
    files: Files

    @cached_property
    def _estimated(self) -> Callable[[str], dict[str, int]]:
        return cache(lambda corpus: estimated_pairs(self.config, corpus))

    @cached_property
    def _counted(self) -> dict[tuple[str, int], dict[str, int]]:
        return {}

    def pairs(self, corpus: str, split: str) -> int | None:
        """The sentence pairs of a split or suite, as the import counted them; before it, as its files let expect."""
        statistics = Path(self.files.statistics(corpus))
        if statistics.is_file():
            key = (corpus, statistics.stat().st_mtime_ns)  # an import in the course of the run writes new ones
            if key not in self._counted:
                self._counted[key] = counted_pairs(str(statistics))
            if split in self._counted[key]:
                return self._counted[key][split]
        return self._estimated(corpus).get(split)

    def count(self, corpus: str, split: str) -> int:
        """The number of jobs of a split or suite."""
        sentences = self.pairs(corpus, split) or 1
        return min(MOST, math.ceil(sentences / self.config.hardware.sentences_per_job))

    def files_of(self, folder: str) -> InputFunction:
        """Input function: the parts of the job's file in ``folder`` of its run; none where it is undivided."""

        def files(wildcards: Wildcards) -> list[str]:
            count = self.count(wildcards.corpus, wildcards.split)
            run = self.files.run(wildcards.corpus, wildcards.experiment, wildcards.seed)
            parts = [f"{run}/{folder}/{wildcards.split}/{number}-of-{count}.parquet" for number in range(count)]
            return parts if count > 1 else []

        return files


def part_option(wildcards: Wildcards, input: NamedInput) -> list[str]:
    """Params function: the part that a job makes, or the parts that it joins, as an option of its command."""
    if wildcards.get("part", ""):
        return ["--part", f"{wildcards.part}/{wildcards.parts}"]
    return ["--join", *input["parts"]] if input["parts"] else []
