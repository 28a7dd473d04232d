"""The configuration that a run follows, from the one that is read: every step makes a new one."""

from collections.abc import Mapping
from types import MappingProxyType

from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.resolving.data import with_data
from discourse_nmt.workflow.resolving.decodings import with_decodings
from discourse_nmt.workflow.resolving.joined_corpora import with_joined_corpora
from discourse_nmt.workflow.resolving.language_models import with_language_models
from discourse_nmt.workflow.resolving.shards import NONE_HANDED, with_shards
from discourse_nmt.workflow.resolving.shared_texts import with_shared_texts
from discourse_nmt.workflow.resolving.size import in_size
from discourse_nmt.workflow.resolving.suite_splits import with_suite_splits

NO_ENVIRONMENT: Mapping[str, str] = MappingProxyType({})


def resolve(
    config: Configuration,
    environment: Mapping[str, str] = NO_ENVIRONMENT,
    handed_shards: Mapping[str, int | str] = NONE_HANDED,
) -> Configuration:
    """With files of data in place, in its size, with joined corpora, suites of splits, numbers of shards, shared texts,
    an experiment per decoding, and language models as systems of their corpora.

    ``environment`` may name the folder of data; ``handed_shards`` are the numbers of another process. Raises
    :class:`.InputError` for a corpus that cannot join others or share a text, for a split that no suite can be made
    from, and for a decoding with the name of an experiment.
    """
    sized = with_suite_splits(with_joined_corpora(in_size(with_data(config, environment))))
    return with_language_models(with_decodings(with_shared_texts(with_shards(sized, handed_shards))))
