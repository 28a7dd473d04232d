"""The analysers that ship with the project: tokenisation, sentences, syntax and discourse units of English text."""
