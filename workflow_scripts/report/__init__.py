"""Commands of the report."""
