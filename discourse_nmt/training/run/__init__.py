"""A training run: settings, updates, evaluation and the final weights."""
