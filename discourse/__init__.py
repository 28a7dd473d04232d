"""Discourse structure of a document: trees, dependencies, chains, their conversions and their file
formats."""
