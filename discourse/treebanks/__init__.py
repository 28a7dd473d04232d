"""Treebanks of other guidelines made into what the analysers learn from: words, labels, spaces and EDUs."""
