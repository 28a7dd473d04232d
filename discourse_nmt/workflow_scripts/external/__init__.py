"""Commands of the outputs and metrics from outside of the project."""
