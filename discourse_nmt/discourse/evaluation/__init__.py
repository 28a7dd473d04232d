"""Evaluation of analysers: pure functions that compare gold and predicted structures, with the figures of the field's
reference scorers."""
