"""Drawings of discourse structures as self-contained SVG: trees, dependencies, coreference chains."""
