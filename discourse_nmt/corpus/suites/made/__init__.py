"""Items that are made from the sentences of a corpus by rules."""
