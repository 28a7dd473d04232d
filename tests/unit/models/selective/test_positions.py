"""Structural positions as tensors, and their vectors; T02-n are the tests of specification 02, section 11."""

import numpy as np
import pytest
import torch

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.structures.positions import PositionTables, position_tables
from discourse_nmt.models.selective.structural_positions import FAR, NEAR, Fusion
from discourse_nmt.models.switches.selective import SelectiveSettings
from discourse_nmt.models.systems import system_named
from tests.unit.discourse.structures.discourse_examples import tree_a
from tests.unit.models.selective.selective_examples import KINDS, Example, example, network, source_of

# Tree A: e1 is the first sentence, e2 and e3 the second, e4 the third; as the parser's tables come from a file.
TREE_A = Example(
    [[7, 8], [9, 10, 11], [12]],
    [np.array([0, 0]), np.array([1, 1, 2]), np.array([3])],
    position_tables(tree_a()),
)


def test_t02_8_vector_of_the_path() -> None:
    table, rows = Fusion(4, 2, nonlinear=False).part(1, torch.tensor([[0.774755]]))
    wanted = torch.tensor([[0.699541, 0.714592, 0.007747, 0.999970]])
    torch.testing.assert_close(table[rows[0]], wanted, rtol=0, atol=1e-6)


def test_a_fusion_that_begins_near_tells_near_units_from_far_ones() -> None:
    fusion = Fusion(16, 3, nonlinear=True)
    fusion.begin_near(["rel_edu", "path"])

    def vectors(*paths: float) -> torch.Tensor:
        values = torch.tensor(paths)
        return fusion([torch.arange(len(paths)) * 7.0, torch.arange(len(paths)) - 2.0, values]).detach()

    own, near, far = vectors(0.0, NEAR, FAR)
    torch.testing.assert_close(own, near)
    torch.testing.assert_close(near, -far)
    likeness = vectors(FAR, 0.6, 0.7, 0.8, 0.9, 0.99) @ own
    assert (likeness.diff() > 0).all()
    fusion.begin_near(["rel_edu", "rel_depth"])
    assert not vectors(0.3).any()


def test_nonlinear_fusion_is_equation_5() -> None:
    torch.manual_seed(1)
    fusion = Fusion(4, 3, nonlinear=True)
    assert fusion.mix is not None
    torch.nn.init.normal_(fusion.mix.bias)
    values = [torch.tensor([[0.0, 3.0], [1.0, 3.0]]), torch.tensor([[-2.0, 0.5], [0.5, 0.5]]), torch.full((2, 2), 1.5)]
    angles = torch.stack(values, dim=-1)[..., None] / torch.tensor([1.0, 100.0])
    vectors = torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(-3)  # [2, 2, 3 * 4]
    torch.testing.assert_close(fusion(values), torch.tanh(fusion.mix(vectors)))


def test_additive_fusion_adds_all() -> None:
    fusion = Fusion(4, 2, nonlinear=False)
    one, other = torch.tensor([2.0]), torch.tensor([0.25])
    torch.testing.assert_close(fusion([one, other]), fusion([one]) + fusion([other]))
    assert not list(fusion.parameters())


def test_t02_1_to_5_reach_the_network() -> None:
    model = network(dsp=KINDS)
    structure = source_of(model, [TREE_A, example([2, 1])]).structure
    numbers = torch.arange(4)
    torch.testing.assert_close(structure.absolute["abs_edu"][0], torch.tensor([0.0, 1.0, 2.0, 3.0]))
    torch.testing.assert_close(structure.absolute["abs_depth"][0], torch.tensor([0.0, 1.5, 2.5, 1.0]))
    torch.testing.assert_close(structure.relative["rel_edu"][0], (numbers - numbers[:, None]).float())
    torch.testing.assert_close(structure.relative["rel_depth"][0, 1], torch.tensor([-2.0, 0.0, 0.5, -1.0]))
    wanted = torch.tensor([0.774755, 0.0, 0.588592, 0.837647])
    torch.testing.assert_close(structure.relative["path"][0, 1], wanted, rtol=0, atol=5e-7)


def test_switches_reach_the_values() -> None:
    model = network(dsp=KINDS, edu_index_base=1, depth_base="root_child", w_n=0.5, path_log_base=2.0)
    structure = source_of(model, [TREE_A]).structure
    tables = position_tables(tree_a())
    assert structure.absolute["abs_edu"][0].tolist() == [1, 2, 3, 4]
    assert structure.absolute["abs_depth"][0].tolist() == tables.abs_depth("root_child").tolist()
    np.testing.assert_allclose(structure.relative["path"][0], tables.path(0.5, 2.0), atol=1e-7)


def test_t02_10_words_of_a_unit_have_identical_positions() -> None:
    """Marks belong to the unit of the nearest word; padding is in none."""
    structure = source_of(network(dsp=["path"]), [TREE_A]).structure
    assert structure.units.tolist() == [[0, 0, 0, 0, 0], [1, 1, 1, 2, 2], [3, 3, 3, 0, 0]]
    asked = {}
    for group in structure.groups:
        for owner, queries, real in zip(group.owners.tolist(), group.queries, group.real):
            asked[owner] = queries[real].tolist()
    assert asked == {0: [0, 1, 2, 3], 1: [4, 5, 6], 2: [7, 8], 3: [9, 10, 11]}


def test_groups_hold_every_word_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discourse_nmt.models.selective.network.ROOM", 300)
    source = source_of(network(), [example([5, 1, 9], seed=seed) for seed in range(4)])
    groups = source.structure.groups
    found = torch.cat([group.queries[group.real] for group in groups])
    assert len(groups) > 1
    assert found.sort().values.tolist() == list(range(4 * (5 + 1 + 9 + 6)))


def test_tables_are_read_from_single_precision() -> None:
    """The positions file keeps corrections as float32 and edges as int16."""
    tables = position_tables(tree_a())
    short = PositionTables(
        tables.depths.astype(np.int32),
        tables.corrections.astype(np.float32),
        tables.nuclei.astype(np.int16),
        tables.satellites.astype(np.int16),
    )
    model = network(dsp=KINDS)
    one, other = (source_of(model, [TREE_A._replace(tables=given)]).structure for given in (tables, short))
    for kind in ("rel_edu", "rel_depth", "path"):
        torch.testing.assert_close(one.relative[kind], other.relative[kind])


def test_only_systems_with_positions_need_them() -> None:
    system = system_named("selective")
    assert system.switches({}).structure == "positions"
    assert system.switches({"dsp": []}).structure == ""
    assert system.switches({"context": "none"}).structure == ""
    assert SelectiveSettings(dsp=["path", "abs_edu"], rel_injection="embed").embedded == ("abs_edu", "path")


@pytest.mark.parametrize(
    ("values", "part"),
    [
        ({"dsp": ["paths"]}, "did you mean path?"),
        ({"dsp": ["path", "path"]}, "names a position twice"),
        ({"w_n": 1.0}, "below 1"),
        ({"w_n": 0.4}, "at least 0.5"),
        ({"edu_index_base": 2}, "below 2"),
    ],
)
def test_wrong_switches_are_errors(values: dict[str, object], part: str) -> None:
    with pytest.raises(InputError, match=part.replace("?", r"\?")):
        system_named("selective").switches(values)
