"""Hypotheses paired with references, and source words with their translations."""
