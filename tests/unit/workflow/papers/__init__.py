"""Tests of discourse_nmt/workflow/papers and of presets of papers in both sizes."""
