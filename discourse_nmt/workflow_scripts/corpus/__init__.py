"""Commands of the corpus stage."""
