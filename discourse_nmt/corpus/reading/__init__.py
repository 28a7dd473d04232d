"""Common parts of the readers of corpora and test suites: requests, rows of tables, JSON, mteval markup."""
