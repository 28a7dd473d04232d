"""From raw sentences to tokens and subwords with character offsets, and back again; torch-free."""
