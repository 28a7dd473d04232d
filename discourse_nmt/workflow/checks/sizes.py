"""How large the configuration is, before anything walks through it: YAML's aliases make much of a few lines."""

from collections.abc import Mapping

from discourse_nmt.base.errors import InputError

MOST_VALUES = 200_000
DEEPEST = 50
LONGEST_TEXT = 100_000  # characters


def check_size(config: object) -> None:
    """Raise :class:`InputError` where the configuration, all aliases written out, is too large or too deep.

    Takes time and memory in proportion to what was read, not to what that stands for: each value is counted once.
    """
    counts: dict[int, int] = {}
    opened: set[int] = set()

    def count(value: object, place: str, depth: int) -> int:
        """Values that ``value`` holds, itself included; ``place`` is its dotted key."""
        if isinstance(value, str) and len(value) > LONGEST_TEXT:
            raise InputError(f"{place}: a text of {len(value):,} characters", remedy="put it into a file")
        if not isinstance(value, Mapping | list | tuple):
            return 1
        if id(value) in counts:
            return counts[id(value)]
        if id(value) in opened:
            raise InputError(f"{place} holds itself", remedy="remove the alias (*)")
        if depth > DEEPEST:
            raise InputError(f"{place[:80]}: nested more than {DEEPEST} deep")
        opened.add(id(value))
        entries = value.items() if isinstance(value, Mapping) else enumerate(value)
        total = 1
        for key, entry in entries:
            total += count(entry, f"{place}.{str(key)[:40]}" if place else str(key)[:40], depth + 1)
            if total > MOST_VALUES:
                raise InputError(
                    f"{place or 'the configuration'} stands for more than {MOST_VALUES:,} values",
                    remedy="remove aliases (*) that hold aliases",
                )
        opened.remove(id(value))
        counts[id(value)] = total
        return total

    count(config, "", 0)
