"""Switches of the systems: every one with its default and meaning, in dataclasses free of torch."""
