"""Model files, checkpoints of a run, and checkpoints from elsewhere."""
