"""Readers of structure files; one module for each kind of structure."""
