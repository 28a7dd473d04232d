"""Files that stages exchange: tables, shards, archives, the document store."""
