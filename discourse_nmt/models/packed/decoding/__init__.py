"""Translation by packed systems: in waves, or as one sequence."""
