"""Stanza's analysers as backends."""
