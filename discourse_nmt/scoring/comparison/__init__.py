"""Differences between systems and their significance."""
