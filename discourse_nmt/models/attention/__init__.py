"""Attention: multi-head attention and neighbourhoods, which limit who attends to whom."""
