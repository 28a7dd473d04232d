"""The document graph (spec 03)."""
