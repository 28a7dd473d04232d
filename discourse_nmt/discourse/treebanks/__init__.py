"""Preparation of treebanks with other guidelines for training: words, labels, spaces and EDUs."""
