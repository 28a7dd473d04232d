"""Coreference resolution: which spans of a document refer to the same entity."""
