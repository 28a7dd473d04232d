"""Checks of a configuration before any job; a fault is an :class:`.InputError` of one line with its remedy."""
