"""Networks: the Transformer core, attention, decoding, the registry of systems. Nothing here opens a file."""

if __name__ != "discourse_nmt.models":  # through the link at the top of the checkout
    raise ImportError("import discourse_nmt.models: one module has one name")
