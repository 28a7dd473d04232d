"""The table of scores and its summaries."""
