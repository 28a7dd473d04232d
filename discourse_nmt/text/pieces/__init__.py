"""Subwords of SentencePiece and of byte-pair encoding of bytes, learnt or those of a checkpoint."""
