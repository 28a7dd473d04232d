"""Builders of structure files from tables of annotation, one module for each kind of structure."""
