"""A configuration for a corpus: its files are recognised and counted, sizes and updates chosen, speed measured."""
