"""Measures that compare two analyses of the same text."""
