"""The inventories of the joint network and their ids: words, characters, tags, relations, lemma rules."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.analysers.examples import Example
from discourse_nmt.discourse.analysers.lemmas import lemma_rule
from discourse_nmt.discourse.analysers.network_settings import NetworkSettings, NetworkSizes
from discourse_nmt.discourse.analysers.words import KNOWN_CHARACTERS
from discourse_nmt.discourse.formats.conllu import EMPTY

OFTEN = 8  # times that a word occurs in text annotated by teachers, to be known


@dataclass(frozen=True)
class Inventory:
    """Tuples of strings; a string's index is its id (ids of words, characters and vectors start at 2)."""

    treebanks: tuple[str, ...]
    words: tuple[str, ...]
    characters: tuple[str, ...]
    upos: tuple[str, ...]
    xpos: tuple[str, ...]
    features: tuple[str, ...]
    lemma_rules: tuple[str, ...]
    deprels: tuple[str, ...]
    vectors: tuple[str, ...] = ()
    """Lower-cased words with a fixed vector, the most frequent ones first."""

    @classmethod
    def from_examples(
        cls,
        examples: Sequence[Example],
        treebank: str,
        vectors: Sequence[str] = (),
        silver: Sequence[Example] = (),
    ) -> "Inventory":
        """The inventory of ``examples``; analyses follow the guidelines of ``treebank``, which gets the id 0.

        Words and lemma rules that occur only once are left out. Where nothing has a tag or features, they are ``_``.
        Text annotated by teachers, ``silver``, adds the words that occur there at least :data:`OFTEN` times.
        """
        others = sorted({example.treebank for example in examples} - {treebank})
        words = set(_often(form.lower() for example in examples for form in example.forms))
        words.update(_often((form.lower() for example in silver for form in example.forms), OFTEN))
        characters = Counter(mark for example in examples for form in example.forms for mark in form)
        rules = (lemma_rule(form, lemma) for example in examples for form, lemma in zip(example.forms, example.lemmas))
        common = sorted(characters, key=lambda mark: (-characters[mark], mark))[:KNOWN_CHARACTERS]
        return cls(
            treebanks=(treebank, *others),
            words=tuple(sorted(words)),
            characters=tuple(sorted(common)),
            upos=_all(example.upos for example in examples),
            xpos=_all(example.xpos or () for example in examples) or (EMPTY,),
            features=_all(example.features or () for example in examples) or (EMPTY,),
            lemma_rules=_often(rules),
            deprels=_all(example.deprels for example in examples),
            vectors=tuple(vectors),
        )

    def to_json(self) -> dict[str, object]:
        """The fields as plain lists, by name; vectors only if there are any."""
        return {name: words for name, words in asdict(self).items() if words or name != "vectors"}

    @classmethod
    def from_json(cls, value: Any, file: str) -> "Inventory":
        """The inventory from a value of :meth:`to_json`; otherwise an :class:`InputError` naming ``file``."""
        names = [field.name for field in fields(cls) if field.name != "vectors"]
        try:
            vectors = tuple(map(str, value.get("vectors", ())))
            return cls(**{name: tuple(map(str, value[name])) for name in names}, vectors=vectors)
        except (AttributeError, KeyError, TypeError):
            raise InputError(f"not an analyser's inventory: needs lists {', '.join(names)}", file=file) from None


def sized(settings: NetworkSettings, inventory: Inventory, vector_size: int = 0) -> NetworkSizes:
    """``settings`` with the sizes that follow from the inventory; ``vector_size`` is the width of its vectors."""
    decided = {
        "words": len(inventory.words) + 2,
        "characters": len(inventory.characters) + 2,
        "treebanks": len(inventory.treebanks),
        "upos": len(inventory.upos),
        "xpos": len(inventory.xpos),
        "features": len(inventory.features),
        "lemma_rules": len(inventory.lemma_rules),
        "deprels": len(inventory.deprels),
        "vectors": len(inventory.vectors) + 2 if inventory.vectors else 0,
        "vector_size": vector_size,
    }
    return NetworkSizes(**{**asdict(settings), **decided})


def _all(groups: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(sorted({item for group in groups for item in group}))


def _often(items: Iterable[str], least: int = 2) -> tuple[str, ...]:
    return tuple(sorted(item for item, count in Counter(items).items() if count >= least))
