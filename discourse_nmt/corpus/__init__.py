"""Corpus formats, the document data model, table schemas and the files that hold them."""
