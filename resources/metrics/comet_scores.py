"""Prints the scores of COMET, xCOMET or CometKiwi as a run of discourse-nmt reads them.

python comet_scores.py CHECKPOINT SOURCE HYPOTHESES [REFERENCES] [--context] [--gpus 1], in an environment with
unbabel-comet. With --context each line is sentences before, " </s> ", and the sentence that is scored.
"""

import argparse
from pathlib import Path

from comet import load_from_checkpoint

parser = argparse.ArgumentParser()
parser.add_argument("checkpoint")
parser.add_argument("texts", nargs="+", metavar="FILE")
parser.add_argument("--context", action="store_true")
parser.add_argument("--gpus", type=int, default=0)
options = parser.parse_args()

model = load_from_checkpoint(options.checkpoint)
if options.context:
    model.enable_context()
columns = [Path(file).read_text(encoding="utf-8").split("\n")[:-1] for file in options.texts]
data = [dict(zip(("src", "mt", "ref"), line)) for line in zip(*columns)]
output = model.predict(data, batch_size=8, gpus=options.gpus)
for score in output.scores:
    print("segment", float(score), sep="\t")
print("system", float(output.system_score), sep="\t")
