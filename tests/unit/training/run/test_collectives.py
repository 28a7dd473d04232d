"""Sums over processes, with threads in the place of processes."""

import threading
import time
from collections.abc import Callable, Sequence

import pytest
import torch

from discourse_nmt.training.processes import collectives
from discourse_nmt.training.processes.collectives import Collectives


class Threads(Collectives):
    """One of two processes, whose collectives are recorded with the seconds that they waited."""

    def __init__(self, meeting: threading.Barrier, shared: list[list[int]], first: bool) -> None:
        self.several, self.first, self.control = True, first, None
        self.meeting, self.shared = meeting, shared
        self.waited: list[float] = []

    def counts(self, values: Sequence[int]) -> list[int]:
        """The sums over both threads."""
        begun = time.monotonic()
        self.meeting.wait(5)
        self.waited.append(time.monotonic() - begun)
        self.shared.append(list(values))
        self.meeting.wait(5)
        result = [sum(column) for column in zip(*self.shared[-2:])]
        self.meeting.wait(5)
        return result


def test_while_the_first_process_works_the_others_do_not_wait_in_one_collective(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Otherwise a time-out of NCCL ends a run whose development set takes long to translate."""
    monkeypatch.setattr(collectives, "HEARTBEAT", 0.0)
    total: list[torch.Tensor] = []
    meeting, shared = threading.Barrier(2), list[list[int]]()
    both = [Threads(meeting, shared, first) for first in (True, False)]

    def all_reduce(tensor: torch.Tensor, group: object) -> None:
        meeting.wait(5)
        total.append(tensor.clone())
        meeting.wait(5)
        tensor.copy_(total[-2] + total[-1])

    monkeypatch.setattr(collectives.distributed, "all_reduce", all_reduce)

    def translate(alive: Callable[[], None]) -> float:
        for _ in range(4):
            alive()
        return 12.5

    results: dict[bool, float] = {}
    threads = [
        threading.Thread(target=lambda one=one: results.update({one.first: one.of_first(translate)})) for one in both
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert results == {True: 12.5, False: 12.5}
    assert len(both[1].waited) == 4 + 1


def test_one_process_works_alone() -> None:
    alone = Threads(threading.Barrier(1), [], True)
    alone.several = False

    def work(alive: Callable[[], None]) -> float:
        alive()
        return 3.0

    assert alone.of_first(work) == 3.0
