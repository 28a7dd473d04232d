"""Readers and writers of interchange formats: text (or bytes) in, objects out; no file is opened here.

Every reader takes the content and a name for messages, and raises :class:`.InputError` for
anything that is not in the format.
"""
