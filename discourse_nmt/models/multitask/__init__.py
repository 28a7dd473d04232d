"""Multi-task learning of discourse structure (spec 04)."""
