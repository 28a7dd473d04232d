"""Attention: multi-head attention, its cached keys and values, and neighbourhoods, which limit who attends to whom."""
