"""The builtin analysers of text: sentences, words, syntax and discourse units."""
