"""Training and test data of the parser from trees and CoNLL-U."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

import numpy as np

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.analysers.analyser import Analyser, states_of
from discourse_nmt.discourse.analysers.examples import genre_of
from discourse_nmt.discourse.evaluation.alignment import align_segments
from discourse_nmt.discourse.evaluation.documents import syntax_of
from discourse_nmt.discourse.evaluation.measures.offsets import in_sentences, joined_lengths, joined_sentences
from discourse_nmt.discourse.formats.conllu import Sentence, documents_of, paragraphs_of
from discourse_nmt.discourse.formats.reading import blaming
from discourse_nmt.discourse.parsing.document import ParserInput
from discourse_nmt.discourse.parsing.examples import ParserExample
from discourse_nmt.discourse.structures.syntax import Syntax
from discourse_nmt.discourse.structures.trees import RstTree, StructureError

COLUMNS = ("forms", "upos", "xpos", "features", "lemmas", "deprels")


def examples_of(
    sentences: Iterable[Sentence],
    source: str,
    trees: Mapping[str, RstTree],
    analyser: Analyser,
    genres: Sequence[str] | None = None,
    own_syntax: bool = False,
    paragraphs: Mapping[str, frozenset[int]] | None = None,
) -> Iterator[ParserExample]:
    """The documents of a CoNLL-U file with their trees and the EDUs of these trees; only of the ``genres``, if given.

    States come from the ``analyser``, as does the syntax, unless ``own_syntax`` selects that of the file.
    ``paragraphs`` has the sentences that begin a paragraph, for documents whose file does not mark them.
    Sentences that one EDU of the tree crosses are joined. Raises :class:`InputError` naming ``source`` for a document
    without a tree, or with other words than its tree.
    """
    for name, group in documents_of(sentences):
        if genres is not None and genre_of(name or "") not in genres:
            continue
        if name is None or name not in trees:
            raise InputError(f"document {name} has no tree", file=source, remedy="correct the pattern of the trees")
        group = [sentence for sentence in group if sentence.words]
        begins = paragraphs_of(group) or (paragraphs or {}).get(name)
        with blaming(source):
            yield ParserExample(name, _document(group, begins, trees[name], analyser, own_syntax), trees[name])


def _document(
    sentences: Sequence[Sentence],
    paragraphs: frozenset[int] | None,
    tree: RstTree,
    analyser: Analyser,
    own_syntax: bool,
) -> ParserInput:
    [analyses] = analyser.analyse([[[word.form for word in one.words] for one in sentences]], states=True)
    if own_syntax and any(not sentence.heads for sentence in sentences):
        raise StructureError("a sentence has no syntax")
    syntax = [syntax_of(sentence) for sentence in sentences] if own_syntax else analyses
    lengths = [len(sentence.words) for sentence in sentences]
    edus = align_segments(tree.texts, sentences)
    joined = joined_lengths(lengths, edus)
    words = np.concatenate(states_of(analyses))
    return ParserInput(
        list(_joined(syntax, joined)),
        in_sentences(edus, joined),
        np.split(words, np.cumsum(joined)[:-1].tolist()),
        joined_sentences(paragraphs, lengths, joined),
    )


def _joined(sentences: Iterable[Syntax], lengths: Iterable[int]) -> Iterator[Syntax]:
    """Consecutive sentences joined to sentences of these lengths, in words; a joined sentence keeps all roots."""
    remaining = iter(sentences)
    for length in lengths:
        parts = list(islice(remaining, 1))
        while sum(len(part.forms) for part in parts) < length:
            parts.append(next(remaining))
        heads: list[int] = []
        for part in parts:
            before = len(heads)
            heads += [head + before if head >= 0 else head for head in part.heads]
        columns = ([value for part in parts for value in getattr(part, name)] for name in COLUMNS)
        forms, upos, xpos, features, lemmas, deprels = map(tuple, columns)
        yield Syntax(forms, upos, xpos, features, lemmas, tuple(heads), deprels)
