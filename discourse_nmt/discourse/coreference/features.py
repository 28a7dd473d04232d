"""Features of mentions and of pairs of mentions, as buckets of a hash table."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from discourse_nmt.discourse.coreference.attributes import Attributes, Codes

Buckets = npt.NDArray[np.int64]

# Each template is a tuple of attributes, which form one feature.
MENTION_TEMPLATES: tuple[tuple[str, ...], ...] = (
    ("kind", "group"),
    ("upos", "full_relation"),
    ("xpos", "length"),
    ("lemma",),
    ("lemma", "definite"),
    ("form", "length"),
    ("first", "length"),
    ("last", "last_tag"),
    ("before", "kind"),
    ("after", "kind"),
    ("before_tag", "after_tag"),
    ("governor_lemma", "relation"),
    ("governor_upos", "full_relation", "upos"),
    ("relation", "inside", "outside"),
    ("inside", "outside", "upos", "length"),
    ("outside", "after", "upos"),
    ("inside", "after", "variant"),
    ("relation", "variant", "variants"),
    ("variant", "variants", "inside", "outside"),
    ("definite", "number", "upos"),
    ("text",),
    ("position", "kind", "definite"),
    ("modifier", "upos"),
    ("before", "first"),
    ("relation", "governor_relation", "governor_upos"),
    ("gender", "number", "kind"),
)


def mention_features(mentions: Attributes, buckets: int) -> Buckets:
    """Buckets [mentions, templates] of single mentions."""
    columns = [
        hashed(number, [mentions[name] for name in template], buckets)
        for number, template in enumerate(MENTION_TEMPLATES)
    ]
    return np.stack(columns, 1)


def hashed(template: int, values: Sequence[Codes], buckets: int) -> Buckets:
    """Bucket [mentions], from 1, of a feature of several values [mentions] each (multiplicative hashing)."""
    mixed = np.full(values[0].shape, 0x9E3779B97F4A7C15 * (template + 1) & (1 << 64) - 1, np.uint64)
    for value in values:
        mixed = (mixed ^ value) * np.uint64(0xFF51AFD7ED558CCD)
        mixed ^= mixed >> np.uint64(32)
    mixed *= np.uint64(0xC4CEB9FE1A85EC53)
    return ((mixed >> np.uint64(33)) % np.uint64(buckets - 1)).astype(np.int64) + 1
