"""One thin command line per rule: ``python -m workflow_scripts.NAME --help``."""
