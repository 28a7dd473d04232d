"""Commands of the discourse stage."""
