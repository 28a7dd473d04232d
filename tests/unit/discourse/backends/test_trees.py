"""Dependencies of the trees that a backend made."""

from dataclasses import asdict

import pytest

from discourse_nmt.discourse.backends.trees import dependency_rows
from discourse_nmt.discourse.settings import RstSettings
from discourse_nmt.discourse.structures.conversions import binarise
from discourse_nmt.discourse.structures.rows import tree_to_rows
from discourse_nmt.discourse.structures.trees import join, leaf
from tests.unit.workflow.plan.plan_examples import job, planned


@pytest.mark.parametrize(("binary", "heads"), [(False, [-1, 0, 1, 2]), (True, [-1, 0, 0, 0])])
def test_a_chain_of_one_relation_is_merged_only_on_request(binary: bool, heads: list[int]) -> None:
    """Li's rule makes a chain of a right-branching one, as given, and a star of the merged node (overview, 5.1)."""
    star = join([(leaf(), "nucleus", "joint")] * 4)
    rows = tree_to_rows("d", binarise(star))
    assert [row["head"] for row in dependency_rows("d", rows, "li14", binary)] == heads


@pytest.mark.parametrize("debinarise", [True, False])
def test_the_setting_reaches_every_command(debinarise: bool) -> None:
    plan = planned(analyses={"builtin": {"rst": {"debinarise": debinarise}}})
    options = plan.analyses.conversion_options(job(corpus="news", analysis="builtin", side="source"))
    assert ("--debinarise" in options) is debinarise
    assert asdict(RstSettings())["debinarise"] is True
