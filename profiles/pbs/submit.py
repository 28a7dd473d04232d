#!/usr/bin/env python3
"""Submit a job script of Snakemake with qsub, and print the id of the job: submit.py JOBSCRIPT.

Cores, memory, minutes and GPUs are those of the rule; the resources pbs_queue and pbs_account are the queue and the
account. Output goes to .snakemake/pbs_logs.
"""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

LOGS = Path(".snakemake", "pbs_logs")


def properties_of(script: Path) -> dict[str, Any]:
    """What Snakemake says about a job, from the comment in its script."""
    marker = "# properties = "
    lines = script.read_text(encoding="utf-8").splitlines()
    properties: dict[str, Any] = json.loads(next(line for line in lines if line.startswith(marker))[len(marker) :])
    return properties


def command(script: Path) -> list[str]:
    """The words of qsub for a job script."""
    properties = properties_of(script)
    resources = properties["resources"]
    minutes = resources["runtime"]
    request = f"select=1:ncpus={properties['threads']}:mem={resources['mem_mb']}mb"
    if resources.get("gpu"):
        request += f":ngpus={resources['gpu']}"
    request += f",walltime={minutes // 60:02d}:{minutes % 60:02d}:00"
    # Names begin with a letter; old servers take 15 characters.
    name = re.sub(r"\W", "_", properties.get("rule") or properties["groupid"])
    log = LOGS / f"{name}.{properties['jobid']}.log"
    words = ["qsub", "-V", "-N", f"s{name}"[:15], "-j", "oe", "-o", str(log), "-l", request]
    for option, key in (("-q", "pbs_queue"), ("-A", "pbs_account")):
        if key in resources:
            words += [option, str(resources[key])]
    return [*words, str(script)]


if __name__ == "__main__":
    LOGS.mkdir(parents=True, exist_ok=True)
    sys.exit(subprocess.run(command(Path(sys.argv[1])), check=False).returncode)
