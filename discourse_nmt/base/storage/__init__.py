"""Files that stages exchange and keep: tables, shards, the document store, copies in remote storage.

What is read is what was written, so that nothing here changes a result.
"""
