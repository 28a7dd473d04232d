"""Files: sources of corpora and archives, tables and shards that stages exchange, the document store."""
