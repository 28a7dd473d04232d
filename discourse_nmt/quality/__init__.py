"""What the text of a corpus is like: what comes back from the text stage, twins, scripts, languages; with remedies."""
