#!/usr/bin/env python3
"""Submit a job script of Snakemake with qsub of Grid Engine, and print the id of the job: submit.py JOBSCRIPT.

Cores, memory, minutes and GPUs are those of the rule. The resources sge_pe, sge_memory and sge_gpu are the cluster's
names for the parallel environment, the memory per core and GPUs; sge_queue and sge_project are the queue and the
project. Output goes to .snakemake/sge_logs.
"""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

LOGS = Path(".snakemake", "sge_logs")


def properties_of(script: Path) -> dict[str, Any]:
    """What Snakemake says about a job, from the comment in its script."""
    marker = "# properties = "
    lines = script.read_text(encoding="utf-8").splitlines()
    properties: dict[str, Any] = json.loads(next(line for line in lines if line.startswith(marker))[len(marker) :])
    return properties


def command(script: Path) -> list[str]:
    """The words of qsub for a job script."""
    properties = properties_of(script)
    resources, cores = properties["resources"], properties["threads"]
    requests = [f"h_rt={60 * resources['runtime']}", f"{resources['sge_memory']}={-(-resources['mem_mb'] // cores)}M"]
    if resources.get("gpu"):
        requests.append(f"{resources['sge_gpu']}={resources['gpu']}")
    # Names may not begin with a digit.
    name = "s" + re.sub(r"\W", "_", properties.get("rule") or properties["groupid"])
    log = LOGS / f"{name}.{properties['jobid']}.log"
    words = ["qsub", "-terse", "-cwd", "-V", "-S", "/bin/sh", "-N", name, "-j", "y", "-o", str(log)]
    words += ["-l", ",".join(requests)]
    if cores > 1:
        words += ["-pe", resources["sge_pe"], str(cores)]
    for option, key in (("-q", "sge_queue"), ("-P", "sge_project")):
        if key in resources:
            words += [option, str(resources[key])]
    return [*words, str(script)]


if __name__ == "__main__":
    LOGS.mkdir(parents=True, exist_ok=True)
    sys.exit(subprocess.run(command(Path(sys.argv[1])), check=False).returncode)
