"""Corpora that take the text stage of another one over."""

from dataclasses import replace

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import nearest
from discourse_nmt.workflow.configuration.corpora import CorpusSection
from discourse_nmt.workflow.configuration.tree import Configuration


def with_shared_texts(config: Configuration) -> Configuration:
    """With the text settings of another corpus in each corpus that names one as ``text_of``.

    Raises :class:`InputError` for a corpus that does not exist, has other languages or takes its own text over.
    :func:`.check_own_texts` finds settings that would be lost here.
    """
    return replace(config, corpora={name: _sharing(config.corpora, name) for name in config.corpora})


def _sharing(corpora: dict[str, CorpusSection], name: str) -> CorpusSection:
    corpus = corpora[name]
    if (other := corpus.text_of) is None:
        return corpus
    key = f"corpora.{name}.text_of"
    if other not in corpora or other == name:
        known = [one for one in corpora if one != name]
        raise InputError(f"{key}: no other corpus {other}", remedy=nearest(other, known))
    if corpora[other].text_of is not None:
        raise InputError(f"{key}: {other} takes its text over, too", remedy=_remedy(corpora, name))
    languages = [[one.source_language, one.target_language] for one in (corpus, corpora[other])]
    if languages[0] != languages[1]:
        told = " and ".join("-".join(pair) for pair in languages)
        raise InputError(f"{key}: the languages differ, {told}", remedy="name a corpus of the same languages")
    return replace(corpus, text=corpora[other].text)


def _remedy(corpora: dict[str, CorpusSection], name: str) -> str:
    """The corpus that a chain of ``text_of`` ends with, or the key that breaks a circle."""
    chain = [name]
    while (following := corpora[chain[-1]].text_of) is not None and following in corpora:
        if following in chain:
            return f"that is a circle; set corpora.{following}.text_of to null"
        chain.append(following)
    return f"name {chain[-1]}" if following is None else f"correct corpora.{chain[-1]}.text_of first"
