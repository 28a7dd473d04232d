"""The dataset of a split, its units and its batches."""
