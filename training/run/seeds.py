"""Seeds of what is drawn at random; one for each place of a run, so that randomness has no state to be saved."""

import numpy as np


def seed_of(*numbers: int) -> int:
    """A 64-bit seed; different numbers give unrelated ones."""
    return int(np.random.SeedSequence(numbers).generate_state(1, np.uint64)[0])
