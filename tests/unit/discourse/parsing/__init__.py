"""Projection of trees, and trees of relations."""
