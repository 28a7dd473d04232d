"""Sizes of corpora, and the shards and jobs that follow from them."""
