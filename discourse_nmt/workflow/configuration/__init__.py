"""The configuration as a tree of dataclasses; nothing in it changes once it is read."""
