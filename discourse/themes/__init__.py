"""Theme and rheme of English clauses, by rule on Universal Dependencies."""
