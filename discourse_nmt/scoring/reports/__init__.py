"""The report of a run: one HTML page with its tables, curves, provenance and a viewer of documents."""
