"""Commands of the text stage."""
