"""Word graphs of documents (specification 03, section 4)."""
