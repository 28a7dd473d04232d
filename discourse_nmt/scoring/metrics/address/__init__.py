"""Measures of address: how translations say *you*, and what rules without a translation get right."""
