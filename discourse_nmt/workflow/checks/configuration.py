"""All checks of a configuration, in one order."""

from discourse_nmt.workflow.checks.analyses import check_analyses
from discourse_nmt.workflow.checks.corpora import check_corpora
from discourse_nmt.workflow.checks.experiments import check_experiments
from discourse_nmt.workflow.checks.hardware import check_shares
from discourse_nmt.workflow.checks.labellers import check_labellers
from discourse_nmt.workflow.checks.metrics import check_metrics
from discourse_nmt.workflow.checks.parsers import check_parsers
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.papers.checks import check_paper_tables


def check_configuration(config: Configuration) -> None:
    """Check what the schema cannot. ``config`` has the schema's defaults. Raises :class:`.InputError`."""
    check_corpora(config)
    check_experiments(config)
    check_shares(config)
    check_analyses(config)
    check_labellers(config)
    check_metrics(config)
    check_parsers(config)
    check_paper_tables(config)
