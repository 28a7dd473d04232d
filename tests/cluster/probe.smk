"""Jobs that show what they were given: memory, of which the first attempt has too little, and GPUs."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(workflow.basedir).parents[1]))

from discourse_nmt.workflow.sizing.memory import memory


rule all:
    input:
        "memory.txt",
        "gpus.txt",


rule needs_memory:
    output:
        "memory.txt",
    resources:
        mem_mb=memory(500),
        runtime=5,
    shell:
        "python -c 'import time; block = bytearray(700 * 2**20); time.sleep(4)'; echo {resources.mem_mb} > {output:q}"


rule needs_gpus:
    output:
        "gpus.txt",
    resources:
        gpu=2,
        mem_mb=1000,
        runtime=5,
    shell:
        'echo "${{CUDA_VISIBLE_DEVICES-}}" > {output:q}'
