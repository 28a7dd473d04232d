"""One module for each kind of system: its batches, its loss, its translations."""
