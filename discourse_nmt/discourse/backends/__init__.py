"""Backends: analysers with one interface. The project's own, Stanza, imported files, a user's command."""
