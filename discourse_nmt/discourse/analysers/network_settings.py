"""Sizes and dropout of the joint network. Free of torch, as the schema of the configuration reads them."""

from dataclasses import MISSING, asdict, dataclass
from typing import Any

from discourse_nmt.base.settings import probability, setting


def _size(default: Any, meaning: str, minimum: int = 1) -> Any:
    return setting(default, meaning, minimum=minimum, below=1 << 24)


@dataclass(frozen=True)
class NetworkSettings:
    """Sizes of the network that the user chooses."""

    word_size: int = _size(96, "width of the embedding of a known word")
    affix_size: int = _size(96, "width of the embedding of hashed beginnings and endings")
    character_size: int = _size(24, "width of the embedding of a character")
    filters: int = _size(64, "filters of the convolution over a word's characters")
    width: int = _size(192, "width of the states, per direction")
    layers: int = _size(2, "bidirectional layers over the sentence")
    arc_size: int = _size(160, "width of a word as head or dependent where arcs are scored")
    relation_size: int = _size(40, "width of a word as head or dependent where relations are scored")
    unit_width: int = _size(80, "width of the layer of discourse units, per direction")
    buckets: int = _size(8192, "rows of the table of hashed beginnings and endings")
    word_length: int = _size(20, "characters of a word that are looked at, the last 4 among them", minimum=4)


@dataclass(frozen=True, kw_only=True)
class NetworkSizes(NetworkSettings):
    """All sizes of the network: the chosen ones, and those that follow from the inventory."""

    words: int = _size(MISSING, "words with an embedding, padding and the unknown one among them")
    characters: int = _size(MISSING, "characters with an embedding, padding and the unknown one among them")
    treebanks: int = _size(MISSING, "treebanks that the training data are from")
    upos: int = _size(MISSING, "universal part-of-speech tags")
    xpos: int = _size(MISSING, "part-of-speech tags of the language")
    features: int = _size(MISSING, "sets of morphological features")
    lemma_rules: int = _size(MISSING, "lemma rules")
    deprels: int = _size(MISSING, "dependency relations")
    vectors: int = _size(0, "words with a fixed vector, padding and the unknown one among them; 0 for none", minimum=0)
    vector_size: int = _size(0, "width of the fixed vectors", minimum=0)

    def to_json(self) -> dict[str, int]:
        """The sizes by name; those of the fixed vectors only if there are any."""
        return {name: size for name, size in asdict(self).items() if size or name not in ("vectors", "vector_size")}


@dataclass(frozen=True)
class AnalyserDropout:
    """Rates of dropout, all 0 at analysis."""

    word: float = probability(0.0, "share of words whose own embedding is hidden, so that their affixes must do")
    vector: float = probability(0.0, "share of words whose fixed vector is hidden")
    entry: float = probability(0.0, "dropout of the vectors of words")
    state: float = probability(0.0, "dropout of the states of each layer")
    head: float = probability(0.0, "dropout in the classifiers above the states")
