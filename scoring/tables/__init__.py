"""The table of scores and the summaries made of it."""
