"""Jobs of seconds do not import what they do not use: libraries that take longer to import than the job to run."""

import subprocess
import sys

import pytest

HEAVY = ("jieba", "pandas", "sacrebleu", "sacremoses", "torch", "torch.distributed.optim")
# What each job needs of them. The tables of light jobs are pandas'.
NEEDED = {
    "corpus.take_over": set[str](),
    "discourse.analyse": {"pandas"},
    "discourse.convert_rst": {"pandas"},
    "report.record_provenance": set[str](),
    "structures.build_structure": {"pandas"},
    "text.apply_bpe": {"pandas"},
    "text.build_dataset": {"pandas"},
    "text.learn_bpe": {"pandas"},
    "text.train_truecaser": {"pandas"},
    "train.pack_model": {"pandas"},
    "train.train": {"torch"},
    "train.translate": {"pandas", "torch"},
}


@pytest.mark.parametrize(("job", "needed"), NEEDED.items(), ids=NEEDED)
def test_a_job_imports_what_it_uses(job: str, needed: set[str]) -> None:
    program = f"import sys, discourse_nmt.workflow_scripts.{job}; print(*set({HEAVY}) & sys.modules.keys())"
    imported = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert set(imported.split()) == needed
