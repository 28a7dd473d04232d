"""The command of sacrebleu that computes the project's scores of text files again."""

import shlex

from discourse_nmt.scoring.metrics.bleu import primary, tokeniser


def sacrebleu_command(references: str, hypotheses: str, *, language: str, lowercase: bool) -> str:
    """A line for a shell that prints s-BLEU, chrF2++ and TER of files with one sentence per line."""
    words = ["python", "-m", "sacrebleu", references, "-i", hypotheses, "-m", "bleu", "chrf", "ter"]
    words += ["--tokenize", tokeniser(language)[0], "--chrf-word-order", "2"]
    if lowercase:
        words += ["--lowercase", "--chrf-lowercase"]
    if primary(language) in ("zh", "ja"):
        words += ["--ter-normalized", "--ter-asian-support"]
    return shlex.join(words)
