"""From tables of annotation to structure files; one module for each kind of structure."""
