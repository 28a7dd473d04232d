"""Readers and writers of interchange formats; no file is opened here.

A reader takes the content of a file, as text or bytes, and a name for messages. It raises :class:`.InputError` for any
other content.
"""
