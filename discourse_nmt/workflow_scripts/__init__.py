"""One thin command per rule: ``python -m discourse_nmt.workflow_scripts.STAGE.NAME --help``."""

if __name__ != "discourse_nmt.workflow_scripts":  # through the link at the top of the checkout
    raise ImportError("import discourse_nmt.workflow_scripts: one module has one name")
