"""Jobs of seconds do not import what they do not use: libraries that take longer to import than the job to run."""

import subprocess
import sys

import pytest

HEAVY = ("fsspec", "jieba", "pandas", "sacrebleu", "sacremoses", "torch", "torch.distributed.optim")
# What each job needs of them. The tables of light jobs are pandas'. A training imports the rest when its processes have
# started.
NEEDED = {
    "workflow_scripts.corpus.take_over": set[str](),
    "workflow_scripts.discourse.analyse": {"pandas"},
    "workflow_scripts.discourse.convert_rst": {"pandas"},
    "workflow_scripts.report.record_provenance": set[str](),
    "workflow_scripts.structures.build_structure": {"pandas"},
    "workflow_scripts.text.apply_bpe": {"pandas"},
    "workflow_scripts.text.build_dataset": {"pandas"},
    "workflow_scripts.text.learn_bpe": {"pandas"},
    "workflow_scripts.text.train_truecaser": {"pandas"},
    "workflow_scripts.train.pack_model": {"pandas"},
    "training.run.run": {"fsspec", "torch"},
    "workflow_scripts.train.train": set(),
    "workflow_scripts.train.translate": {"pandas", "torch"},
}


@pytest.mark.parametrize(("job", "needed"), NEEDED.items(), ids=NEEDED)
def test_a_job_imports_what_it_uses(job: str, needed: set[str]) -> None:
    program = f"import sys, discourse_nmt.{job}; print(*set({HEAVY}) & sys.modules.keys())"
    imported = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert set(imported.split()) == needed
