"""Alignment of the words of sentence pairs."""
