"""Snakemake's scheduler sleeps until a job ends."""

from typing import Any

DEFAULT_LIMIT = (100, 1)  # jobs, seconds


def sleep_between_jobs(scheduler: Any) -> None:
    """Take Snakemake's own limit of jobs a second off its ``scheduler``, so that this one sleeps until a job ends.

    With a limit, Snakemake (9.19 to 9.27) chooses jobs anew after each timespan. Every job that ends while others wait
    begins one more such series: after 150 jobs the main process takes a fifth of a core. 100 jobs a second, the
    default, are never begun; a limit that the user gives stays.
    """
    limiter = scheduler.job_rate_limiter
    if limiter is not None and (limiter.max_jobs, limiter.timespan) == DEFAULT_LIMIT:
        scheduler.job_rate_limiter = None
