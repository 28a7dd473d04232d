"""Raw sentences to tokens and subwords with character offsets, and back; torch-free."""
