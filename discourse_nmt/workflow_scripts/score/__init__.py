"""Commands of the score stage."""
