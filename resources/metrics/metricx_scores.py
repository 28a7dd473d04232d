"""Prints the scores of MetricX-24 as a run of discourse-nmt reads them; lower is better.

python metricx_scores.py CLONE TOKENIZER MODEL SOURCE HYPOTHESES [REFERENCES], in an environment with the requirements
of CLONE, a clone of github.com/google-research/metricx; TOKENIZER and MODEL are folders. No registry has it.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

clone, tokenizer, model, *files = sys.argv[1:]
columns = [Path(file).read_text(encoding="utf-8").split("\n")[:-1] for file in files]
names = ("source", "hypothesis", "reference")
empty = {"reference": ""}
with tempfile.TemporaryDirectory() as folder:
    given, scored = Path(folder, "input.jsonl"), Path(folder, "output.jsonl")
    lines = [json.dumps(empty | dict(zip(names, line))) for line in zip(*columns)]
    given.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    command = [sys.executable, "-m", "metricx24.predict", "--tokenizer", str(Path(tokenizer).resolve())]
    command += ["--model_name_or_path", str(Path(model).resolve()), "--max_input_length", "1536", "--batch_size", "1"]
    command += ["--input_file", str(given), "--output_file", str(scored)]
    if len(columns) == 2:
        command.append("--qe")
    subprocess.run(command, cwd=clone, check=True, stdout=sys.stderr)
    scores = [float(json.loads(line)["prediction"]) for line in scored.read_text(encoding="utf-8").splitlines()]
for score in scores:
    print("segment", score, sep="\t")
print("system", sum(scores) / len(scores), sep="\t")
