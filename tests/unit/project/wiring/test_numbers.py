"""Numbers that people read: what is counted for them begins at 1."""

import ast

from tests.unit.project.wiring.code import modules

# Other first numbers: after two reserved ids, after the header of a table, and of sentences between two gaps.
OTHERS = {"models/theme_cache/character_tagger.py": 2, "demo/lexicon.py": 2, "corpus/test_sets.py": 1}


def first_numbers(tree: ast.AST) -> list[tuple[int, int, int]]:
    """Line, first number and number of left out items of each ``enumerate(..., start=NUMBER)``."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "enumerate":
            items = node.args[0]
            before = (
                items.slice.lower if isinstance(items, ast.Subscript) and isinstance(items.slice, ast.Slice) else None
            )
            left_out = before.value if isinstance(before, ast.Constant) else 0
            for keyword in node.keywords:
                if isinstance(keyword.value, ast.Constant):
                    assert isinstance(keyword.value.value, int) and isinstance(left_out, int)
                    found.append((node.lineno, keyword.value.value, left_out))
    return found


def test_lines_and_items_are_counted_from_one() -> None:
    """With those left out."""
    counted = [(path, *each) for path, tree in modules().items() for each in first_numbers(tree)]
    assert len(counted) > 40
    others = {(path, first) for path, _, first, left_out in counted if first != left_out + 1}
    assert others == set(OTHERS.items())
