"""Classes of discourse relations: a finer relation and its class share the part before the first hyphen."""

from discourse_nmt.discourse.structures.dependencies import labelled, split_label


def coarse(relation: str) -> str:
    """The class of a relation: the part before the first hyphen (``same-unit`` is ``same``), in lower case."""
    return relation.partition("-")[0].lower()


def coarse_label(label: str) -> str:
    """The class of a dependency relation with its role: ``elaboration-additional_r`` is ``elaboration_r``."""
    relation, role = split_label(label)
    return labelled(coarse(relation), role)
