"""From a configuration as it is read to the one that a run follows."""
