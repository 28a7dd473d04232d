"""What the readers of corpora and test suites share: requests, rows of tables, JSON, mteval markup."""
