"""Analysers behind one interface: the project's own, Stanza, files that a user has, a command that a user runs."""
