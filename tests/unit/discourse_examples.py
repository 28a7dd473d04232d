"""Trees that the tests of discourse structures share."""

import random
from itertools import pairwise

from discourse.trees import RstTree, assemble, join, leaf


def tree_a() -> RstTree:
    """Tree A of the specification, section 5.4."""
    pair = join([(leaf("e2"), "nucleus", "span"), (leaf("e3"), "satellite", "elaboration")])
    right = join([(pair, "nucleus", "joint"), (leaf("e4"), "nucleus", "joint")])
    return join([(leaf("e1"), "nucleus", "span"), (right, "satellite", "evidence")])


def tree_a2() -> RstTree:
    """Tree A2 of the specification, section 5.4: the root is the joint, e4 a satellite."""
    pair = join([(leaf("e2"), "nucleus", "span"), (leaf("e3"), "satellite", "elaboration")])
    right = join([(pair, "nucleus", "span"), (leaf("e4"), "satellite", "evidence")])
    return join([(leaf("e1"), "nucleus", "joint"), (right, "nucleus", "joint")])


def deep_tree(edus: int) -> RstTree:
    """A right-branching chain of nucleus and satellite, one level per EDU."""
    children = {f"n{i}": [f"e{i}", f"n{i + 1}"] for i in range(edus - 1)}
    roles: dict[str, tuple] = {f"e{i}": ("nucleus", "span") for i in range(edus)}
    roles |= {f"n{i}": ("satellite", "elaboration") for i in range(edus)}
    leaves = {f"e{i}": i for i in range(edus - 1)} | {f"n{edus - 1}": edus - 1}
    return assemble("n0", children, roles, leaves)


def random_tree(source: random.Random, edus: int, mixed: bool = False, level: int = 0) -> RstTree:
    """A random n-ary tree; no multinuclear relation nests in itself, so that binarisation can be undone."""
    if edus == 1:
        return leaf(f"text ({source.random():.3f})")
    count = min(edus, source.choice([2, 2, 3, 4]))
    cuts = [0, *sorted(source.sample(range(1, edus), count - 1)), edus]
    parts = [random_tree(source, end - start, mixed, level + 1) for start, end in pairwise(cuts)]
    roles = ["nucleus"] * count
    if source.random() < 0.6:
        roles = ["satellite"] * count
        for place in source.sample(range(count), source.randint(1, count - 1) if mixed else 1):
            roles[place] = "nucleus"
    one = roles.count("nucleus") == 1
    names = {"nucleus": "span" if one else f"joint-{level}"}
    relations = [names.get(role) or source.choice(["cause", "joint-1", "joint-2"]) for role in roles]
    return join(list(zip(parts, roles, relations)))  # type: ignore[arg-type]


def trees(mixed: bool = False, count: int = 60) -> list[RstTree]:
    return [random_tree(random.Random(seed), 1 + seed % 23, mixed) for seed in range(count)]
