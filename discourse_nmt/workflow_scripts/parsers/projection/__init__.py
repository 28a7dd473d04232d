"""Parallel text of the projections, and the projection of trees."""
