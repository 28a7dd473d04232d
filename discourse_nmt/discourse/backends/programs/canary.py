"""A text of two sentences that every analyser which users install gets first: one that finds nothing in it is broken.

Packages of versions that do not fit together can lose what they should find without an error: Maverick under
transformers 5 finds no mention at all. Python of any environment can import this module, which needs nothing of the
project. Its functions return the fault in one line with the versions of the packages, or nothing.
"""

from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from itertools import accumulate, combinations

Words = list[list[str]]
Chains = list[list[tuple[int, int]]]
"""Words [first, last] of each mention, counted over the document."""

# In each language the first words of both sentences are one person. Models of other languages read several, this one
# among them.
OTHER = "en"
TEXTS: dict[str, Words] = {
    "de": [["Maria", "verlor", "ihre", "Schlüssel", "."], ["Sie", "fand", "sie", "später", "."]],
    "en": [["Mary", "lost", "her", "keys", "."], ["She", "found", "them", "later", "."]],
    "es": [["María", "perdió", "sus", "llaves", "."], ["Ella", "las", "encontró", "después", "."]],
    "fr": [["Marie", "a", "perdu", "ses", "clés", "."], ["Elle", "les", "a", "retrouvées", "."]],
    "ru": [["Мария", "потеряла", "ключи", "."], ["Она", "нашла", "их", "позже", "."]],
    "zh": [["玛丽", "丢", "了", "钥匙", "。"], ["她", "后来", "找到", "了", "。"]],
}
REMEDY = "install versions that fit together: docs/analysers/backends.md names those that the project was written for"


def chains_fault(resolve: Callable[[Words], Chains], packages: Sequence[str], language: str = OTHER) -> str:
    """What is wrong with the chains that a resolver finds in the text; ``packages`` are its own and those below it."""
    words = TEXTS.get(language, TEXTS[OTHER])
    chains = resolve(words)
    mentions = sorted({mention for chain in chains for mention in chain})
    second, end = accumulate(map(len, words))
    text = [word for sentence in words for word in sentence]
    crossing = [(one, other) for one, other in combinations(mentions, 2) if one[0] < other[0] <= one[1] < other[1]]
    if not mentions:
        fault = "finds no mention"
    elif any(not 0 <= first <= last < end for first, last in mentions):
        fault = f"finds mentions outside the {end} words {mentions}"
    elif crossing:
        one, other = (" ".join(text[first : last + 1]) for first, last in crossing[0])
        fault = f"finds mentions that cross, {one!r} and {other!r}"
    elif not any({(0, 0), (second, second)} <= set(chain) for chain in chains):
        found = ["/".join(" ".join(text[first : last + 1]) for first, last in chain) for chain in chains]
        fault = f"does not find that {text[0]!r} and {text[second]!r} are one person, but {', '.join(found)}"
    else:
        return ""
    return _told(fault, words, packages)


def units_fault(divide: Callable[[list[str]], list[str]], packages: Sequence[str], language: str = OTHER) -> str:
    """What is wrong with the discourse units that a parser makes of the text, of which one must end with a sentence."""
    words = TEXTS.get(language, TEXTS[OTHER])
    units = [dense for unit in divide(written(words)) if (dense := "".join(unit.split()))]
    if not units:
        fault = "finds no unit"
    elif "".join(units) != "".join(word for sentence in words for word in sentence):
        fault = f"changes the text to {' | '.join(units)!r}"
    elif len("".join(words[0])) not in accumulate(map(len, units)):
        fault = "ends no unit between the sentences"
    else:
        return ""
    return _told(fault, words, packages)


def written(words: Words) -> list[str]:
    """The sentences as they are written: no space before the full stop, and none at all in Chinese."""
    joiner = "" if words is TEXTS["zh"] else " "
    return [joiner.join(sentence[:-1]) + sentence[-1] for sentence in words]


def _told(fault: str, words: Words, packages: Sequence[str]) -> str:
    own, *below = map(_with_version, packages)
    versions = ", ".join(package for package in below if " " in package)
    return f"{own}{f' ({versions})' if versions else ''} {fault} in {' '.join(written(words))!r}"


def _with_version(package: str) -> str:
    """The package with its version, if it is installed as one."""
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return package
