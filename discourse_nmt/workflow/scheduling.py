"""Snakemake's scheduler sleeps until a job ends."""

from typing import Any

DEFAULT_LIMIT = (100, 1)  # jobs, seconds


def sleep_between_jobs(scheduler: Any) -> None:
    """Take Snakemake's own limit of jobs a second off its ``scheduler``, so that this one sleeps until a job ends.

    With a limit, Snakemake (9.27) chooses jobs anew after each timespan. Every job that ends while others wait begins
    one more such series, so that its time grows with the jobs that have ended (benchmarks/workflow/waiting_jobs.py).
    The default, 100 jobs a second, limits no run here; a limit that the user gives stays.
    """
    limiter = scheduler.job_rate_limiter
    if limiter is not None and (limiter.max_jobs, limiter.timespan) == DEFAULT_LIMIT:
        scheduler.job_rate_limiter = None
