"""Every preset is planned by Snakemake."""

import json
from pathlib import Path

import pytest
import yaml

from tests.conftest import ROOT
from tests.unit.workflow.papers.stand_ins import stand_in
from tests.workflow.test_workflow import planned, snakemake

# The model_type of the checkpoint that a preset starts from.
KINDS_OF_PRESETS = {
    "rst_mbart_ende": "mbart",
    "ted_mbart50_ende": "mbart",
    "ted_nllb_ende": "m2m_100",
    "ted_opus_ende": "marian",
}


@pytest.mark.parametrize("preset", sorted((ROOT / "config").rglob("*.yaml")), ids=lambda path: path.name)
def test_presets_plan(preset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On empty files in place of the data. Other tests plan the small size, too."""
    monkeypatch.delenv("DISCOURSE_NMT_DATA", raising=False)
    config = yaml.safe_load(preset.read_text(encoding="utf-8"))
    stand_in(tmp_path, config)
    (tmp_path / "resources").symlink_to(ROOT / "resources")
    arguments = ["--dry-run", "--nolock", "--configfile", str(preset)]
    started = [name for name, corpus in config.get("corpora", {}).items() if "pretrained" in corpus.get("text", {})]
    if started:
        for file in ("model.safetensors", "sentencepiece.bpe.model", "vocab.json", "source.spm", "target.spm"):
            (tmp_path / file).touch()
        kind = {"model_type": KINDS_OF_PRESETS[preset.stem]}
        (tmp_path / "config.json").write_text(json.dumps(kind), encoding="utf-8")
        corpora = {name: {"text": {"pretrained": str(tmp_path)}} for name in started}
        arguments += ["--config", f"corpora={json.dumps(corpora)}"]
    tables = config.get("paper_tables", {})
    result = snakemake(tmp_path, *arguments, "--", *(["table"] if tables else ["score", "report"]))
    assert result.returncode == 0, result.stdout
    assert ("paper_table" in planned(result.stdout)) == bool(tables)
