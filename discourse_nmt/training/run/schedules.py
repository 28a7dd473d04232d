"""The learning rate of each update; ``n`` counts updates from 1 and ``w`` is ``warmup_updates``.

- ``constant``: ``r``
- ``inverse_square_root``: ``r sqrt(w / n)`` (fairseq's form of Vaswani et al. 2017); ``w`` = 0 counts as 1
- ``polynomial``: ``e + (r - e) (1 - (n - w) / (N - w)) ** p``, and ``e`` from update ``N`` = ``max_updates`` on
- ``noam``: ``r d ** -0.5 min(n ** -0.5, n w ** -1.5)`` (Vaswani et al. 2017, equation 3), ``d`` the width of
  the model

``r`` is ``learning_rate``, ``e`` ``final_rate``, ``p`` ``polynomial_power``. In all but ``noam``, the rate rises
linearly at first: ``i + (r - i) n / w`` for ``n < w``, ``i`` = ``warmup_initial_rate``.
"""

from discourse_nmt.training.settings import TrainingSettings


def learning_rate(settings: TrainingSettings, update: int, width: int) -> float:
    """Learning rate of ``update`` (from 1) for a model of ``width``."""
    peak, warmup = settings.learning_rate, settings.warmup_updates
    if settings.schedule == "noam":
        return peak * width**-0.5 * min(update**-0.5, update * max(1, warmup) ** -1.5)
    if update < warmup:
        return settings.warmup_initial_rate + (peak - settings.warmup_initial_rate) * update / warmup
    if settings.schedule == "inverse_square_root":
        return peak * (max(1, warmup) / update) ** 0.5
    if settings.schedule == "polynomial":
        left = max(0.0, 1 - (update - warmup) / (settings.max_updates - warmup))
        return settings.final_rate + (peak - settings.final_rate) * left**settings.polynomial_power
    return peak
