"""Scores of translations, and the tables and the report of scores."""
