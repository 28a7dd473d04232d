"""One thin command per rule: ``python -m discourse_nmt.workflow_scripts.STAGE.NAME --help``."""
