"""Formats of line-aligned text: a sentence on each line, at the same line of both sides."""
