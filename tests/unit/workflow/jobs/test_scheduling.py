"""Snakemake's own limit of jobs a second goes, a limit that is given stays."""

from types import SimpleNamespace

import pytest
from snakemake.cli import get_argument_parser
from snakemake.scheduling.job_scheduler import JobRateLimiter

from discourse_nmt.workflow.scheduling import sleep_between_jobs


@pytest.mark.parametrize(
    ("arguments", "limited"),
    [
        ([], False),
        (["--max-jobs-per-timespan", "100/1s"], False),
        (["--max-jobs-per-timespan", "100/1m"], True),
        (["--max-jobs-per-timespan", "5/1s"], True),
    ],
)
def test_a_limit_that_is_given_stays(arguments: list[str], limited: bool) -> None:
    options = get_argument_parser().parse_args(arguments)
    scheduler = SimpleNamespace(job_rate_limiter=JobRateLimiter(options.max_jobs_per_timespan))
    sleep_between_jobs(scheduler)
    assert (scheduler.job_rate_limiter is not None) == limited
    sleep_between_jobs(scheduler)
    assert (scheduler.job_rate_limiter is not None) == limited
