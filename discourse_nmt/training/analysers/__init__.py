"""Training of the analysers of discourse: one loop for all their networks."""
