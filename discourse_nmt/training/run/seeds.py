"""Seeds of random draws, one for each step of a run, so that no state of a generator is saved."""

import numpy as np


def seed_of(*numbers: int) -> int:
    """A 64-bit seed; different numbers give unrelated seeds."""
    return int(np.random.SeedSequence(numbers).generate_state(1, np.uint64)[0])
