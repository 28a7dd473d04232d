"""Hypotheses beside references, and words beside their translations."""
