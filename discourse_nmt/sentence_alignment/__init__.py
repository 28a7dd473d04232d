"""Monotone alignment of the sentences of a text with those of its translation, however that is cut."""
