"""Estimates of what a run takes: processor time, memory and disk of its jobs, before and while it runs."""
