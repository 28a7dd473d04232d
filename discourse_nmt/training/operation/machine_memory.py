"""The memory of this machine and of this process."""

import os
from collections.abc import Iterator
from pathlib import Path

from discourse_nmt.base.storage.files import read_text

LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
OF_SLURM = "SLURM_MEM_PER_NODE"  # megabytes that a job of Slurm has on each node
RESIDENT = Path("/proc/self/statm")


def machine_memory() -> int:
    """Bytes of this machine, or the part that a container or a job of Slurm may use."""
    return min([os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"), *_limits()])


def _limits() -> Iterator[int]:
    for path in map(Path, LIMITS):
        if path.exists() and (text := read_text(path).strip()).isdecimal():
            yield int(text)
    if os.environ.get(OF_SLURM, "").isdecimal() and int(os.environ[OF_SLURM]):
        yield int(os.environ[OF_SLURM]) * 2**20


def resident_memory() -> int:
    """Bytes of this process in memory; 0 where the operating system does not say."""
    if not RESIDENT.exists():
        return 0
    return int(read_text(RESIDENT).split()[1]) * os.sysconf("SC_PAGE_SIZE")
