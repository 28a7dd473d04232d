"""Measure coreference on gold chains: a resolver, simple rules (the nearest agreeing antecedent of each pronoun, equal
nouns, both) and chains from elsewhere, for example projected ones.

Prints a table of CoNLL F1, MUC, B3, CEAFe and the F1 of mentions, without singletons: first with equal spans, then with
mentions reduced to their head words by the predicted syntax, since annotators of different corpora delimit mentions
differently. --treebank has conllu/ (words and sentences) and coref_conll/ (chains, GUM's three columns).
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.sources import expand
from discourse_nmt.base.storage.files import write_json
from discourse_nmt.discourse.analysers.weights import load_analyser
from discourse_nmt.discourse.coreference.baselines import rule_chains
from discourse_nmt.discourse.coreference.examples import Place
from discourse_nmt.discourse.coreference.lexicons import lexicon_of
from discourse_nmt.discourse.coreference.speech.turns import Speakers
from discourse_nmt.discourse.coreference.weights import load_resolver
from discourse_nmt.discourse.evaluation.measures.coreference import conll_f1, score_chains, without_singletons
from discourse_nmt.discourse.evaluation.measures.counts import total
from discourse_nmt.discourse.formats.conllu import documents_of, read_conllu, speakers_of
from discourse_nmt.discourse.formats.coreference import CoreferenceDocument, read_gum_coreference
from discourse_nmt.discourse.structures.mentions import Chain, Span, head_of_span
from discourse_nmt.discourse.structures.syntax import Syntax
from discourse_nmt.workflow_scripts.command import arguments, run

Places = list[set[Place]]
METRICS = ("mention", "MUC", "B3", "CEAFe")


def places(chains: Iterable[Chain]) -> Places:
    """Sentence and words of the mentions of chains."""
    return [{(one.span.sentence, one.span.start, one.span.end) for one in chain.mentions} for chain in chains]


def headed(chains: Places, syntax: Sequence[Syntax]) -> Places:
    """Chains whose mentions are their head words alone."""
    heads = [{head_of_span(Span(*place), syntax[place[0]].heads) for place in chain} for chain in chains]
    return [{(head.sentence, head.start, head.end) for head in chain} for chain in heads]


def figures(gold: Sequence[Places], predicted: Sequence[Places]) -> dict[str, float]:
    """Percentages over all documents."""
    counts = total(
        score_chains(without_singletons(one), without_singletons(other))
        for one, other in zip(gold, predicted, strict=True)
    )
    scores = {"CoNLL F1": conll_f1(counts)} | {f"{name} F1": counts[name].f1 for name in METRICS}
    return {name: round(value, 2) for name, value in scores.items()}


def read_chains(patterns: Sequence[str], syntax: Mapping[str, Sequence[Syntax]]) -> dict[str, Places]:
    """The chains of each document of files in GUM's columns, singletons included."""
    documents: dict[str, CoreferenceDocument] = {}
    for source in (source for pattern in patterns for source in expand(pattern)):
        documents |= {document.name: document for document in read_gum_coreference(source.text(), source.name)}
    missing = sorted(syntax.keys() - documents.keys())
    if missing:
        raise InputError(f"no chains of document {missing[0]}", file=patterns[0], remedy="give all documents")
    return {
        name: places(documents[name].chains([len(one.forms) for one in sentences], [one.heads for one in sentences]))
        for name, sentences in syntax.items()
    }


def main() -> None:
    """Parse the arguments, read, analyse, measure, print."""
    parser = arguments(__doc__)
    add = parser.add_argument
    add("--treebank", required=True, metavar="FOLDER", help="folder with conllu/ and coref_conll/")
    add("--language", required=True, help="ISO 639-1 code")
    add("--analyser", required=True, metavar="FOLDER", help="joint network to predict the syntax")
    add("--resolver", nargs="*", default=[], metavar="FOLDER", help="resolvers to measure")
    add("--chains", nargs="*", default=[], metavar="FILE", help="chains from elsewhere, on the same words (.conll)")
    add("--output", metavar="FILE", help="JSON to write with the figures")
    options = parser.parse_args()

    lexicon = lexicon_of(options.language)
    words: dict[str, list[list[str]]] = {}
    speakers: list[Speakers] = []
    for source in expand(f"{options.treebank}/conllu/*.conllu"):
        for name, group in documents_of(read_conllu(source.text(), source.name)):
            words[name or source.stem] = [[word.form for word in sentence.words] for sentence in group]
            speakers.append(speakers_of(group))
    analyses = load_analyser(options.analyser, units=False).analyse(list(words.values()))
    syntax = dict(zip(words, analyses, strict=True))
    gold = list(read_chains([f"{options.treebank}/coref_conll/*.conll"], syntax).values())
    systems: dict[str, list[Places]] = {
        name: [places(rule_chains(document, lexicon, pronouns, nouns)) for document in analyses]
        for name, pronouns, nouns in (
            ("nearest agreeing antecedent", True, False),
            ("equal nouns", False, True),
            ("both rules", True, True),
        )
    }
    systems |= {file: list(read_chains([file], syntax).values()) for file in options.chains}
    for folder in options.resolver:
        systems[folder] = [places(chains) for chains in load_resolver(folder).resolve(analyses, speakers)]
    table = {
        name: {
            "spans": figures(gold, found),
            "heads": figures(
                [headed(one, document) for one, document in zip(gold, analyses)],
                [headed(one, document) for one, document in zip(found, analyses)],
            ),
        }
        for name, found in systems.items()
    }
    for matching in ("spans", "heads"):
        print(f"| {matching} | {' | '.join(next(iter(table.values()))[matching])} |")
        for name, scores in table.items():
            print(f"| {name} | {' | '.join(f'{value:.1f}' for value in scores[matching].values())} |")
    if options.output:
        write_json(table, Path(options.output))


if __name__ == "__main__":
    run(main)
