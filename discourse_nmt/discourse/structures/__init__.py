"""Trees, dependencies, positions, mentions, and their rows in tables; torch-free."""
