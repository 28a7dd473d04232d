"""Commands that build structure files."""
