"""Sections of a configuration as the workflow reads them, with every default."""
