"""Theme and rheme of clauses, by rules for each language on Universal Dependencies."""
