"""The rules for Chinese."""
