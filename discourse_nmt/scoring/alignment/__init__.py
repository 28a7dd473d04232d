"""Alignment of hypotheses with references, and of words with their translations."""
