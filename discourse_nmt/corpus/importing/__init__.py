"""From the files of a corpus to checked, filtered documents in splits."""
