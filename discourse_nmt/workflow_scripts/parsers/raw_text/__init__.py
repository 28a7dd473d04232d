"""Commands that annotate plain text or count in it."""
