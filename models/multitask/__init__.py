"""Multi-task learning of discourse structure (specification 04)."""
