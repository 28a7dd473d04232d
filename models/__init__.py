"""Networks: the Transformer core, attention, decoding and the registry of systems. Nothing here opens a file."""
