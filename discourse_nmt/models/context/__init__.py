"""Systems that translate a sentence with context from its paragraph, and their host."""
