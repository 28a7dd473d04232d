"""Names of the tasks that are scored, and of the two settings."""

from discourse_nmt.discourse.evaluation.measures.counts import Counts

GOLD, PREDICTED = "gold", "predicted"
EDU, ORIGINAL_PARSEVAL, RST_PARSEVAL = "edu", "rst_parseval_original", "rst_parseval"
RST_DEPENDENCIES, RST_RELATIONS = "rst_dependencies", "rst_relations"
SYNTAX, COREFERENCE, THEMES = "syntax", "coreference", "themes"

Scores = dict[tuple[str, str], dict[str, Counts]]
"""Counts by (task, setting) and measure."""
