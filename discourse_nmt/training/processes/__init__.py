"""Processes and devices of a run, and sums over its processes."""
