"""Discourse structure of documents: trees, dependencies, chains, their file formats, analysers and evaluation."""
