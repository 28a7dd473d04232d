"""Datasets, batches, schedules, the training loop and its checkpoints."""
