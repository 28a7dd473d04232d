"""Training of theme labellers."""
