"""Selective attention with discourse structural positions (specification 02)."""
