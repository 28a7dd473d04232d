"""The sentence-level Transformer, its layers, and beam search."""
