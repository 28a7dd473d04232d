"""The local page on which a document is translated by one or several models."""
