"""Processes, devices and signals of a run."""
