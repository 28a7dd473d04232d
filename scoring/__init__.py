"""Scores of translations and the tables and report made of them."""
