"""The document graph (specification 03)."""
