"""Relations of words in word graphs, the table ``document_graph``; a relation's id is its index in ``RELATIONS``."""

from typing import Literal, get_args

Relation = Literal["adjacency", "dependency", "lexical", "coreference"]
RELATIONS: tuple[Relation, ...] = get_args(Relation)
