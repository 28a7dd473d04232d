"""Tests of rules/papers and of presets of papers in both sizes."""
