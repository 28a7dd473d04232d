"""Metrics that the user runs."""
