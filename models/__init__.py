"""Networks: the Transformer core, attention, decoding, the registry of systems. Nothing here opens a file."""
