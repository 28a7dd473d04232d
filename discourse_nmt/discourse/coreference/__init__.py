"""Coreference resolution: chains of spans that refer to the same entity."""
