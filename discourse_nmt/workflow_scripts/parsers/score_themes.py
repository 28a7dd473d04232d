"""Score the rules for Chinese themes, and two trivial ones, on CTRD: accuracy of words, and F1 of each label.

Documents are divided as for a labeller (imported: {dev, test}), and into sentences at full stops, question and
exclamation marks. Words and discourse units are those of the corpus, or predicted; tags and dependencies are predicted.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence

from discourse_nmt.discourse.analysers.annotation import characters
from discourse_nmt.discourse.analysers.weights import load_analyser, load_segmenter
from discourse_nmt.discourse.evaluation.measures.counts import Counts
from discourse_nmt.discourse.evaluation.measures.labels import label_counts, labels_of_words
from discourse_nmt.discourse.structures.mentions import Characters, Span, edus_of_starts
from discourse_nmt.discourse.structures.syntax import Syntax
from discourse_nmt.discourse.themes.ctrd import LABELS, CtrdDocument, labelled_words
from discourse_nmt.discourse.themes.imported import ImportedWords
from discourse_nmt.discourse.themes.labelling import label_themes
from discourse_nmt.discourse.themes.pieces import RHEME, TOPICAL_THEME
from discourse_nmt.workflow_scripts.command import arguments, run
from discourse_nmt.workflow_scripts.train.import_labelled_words import documents_of

SENTENCE_ENDS = frozenset("。！？!?…")
CLOSING_MARKS = frozenset("”」』’）)\"'》")
LONGEST_SENTENCE = 120  # words, after which a sentence ends with its clause
LABEL_NAMES = tuple(sorted({label for kind, label in LABELS.items() if kind != "OMN"}))

Clauses = list[list[tuple[str, str]]]  # words with their labels


def sentences_of(document: CtrdDocument) -> Iterator[Clauses]:
    """The clauses of each sentence: up to one that ends with a full stop, a question or an exclamation mark."""
    sentence: Clauses = []
    for units in document.clauses:
        clause = list(labelled_words(units, omitted=False))
        if clause:
            sentence.append(clause)
            last = next((word for word, _ in reversed(clause) if word not in CLOSING_MARKS), " ")
            if last[-1] in SENTENCE_ENDS or sum(map(len, sentence)) > LONGEST_SENTENCE:
                yield sentence
                sentence = []
    if sentence:
        yield sentence


def units_of(sentence: Clauses, number: int) -> list[Span]:
    """The clauses as discourse units, spans of words."""
    units: list[Span] = []
    for clause in sentence:
        start = units[-1].end if units else 0
        units.append(Span(number, start, start + len(clause)))
    return units


def offsets_of(forms: Sequence[str]) -> list[Characters]:
    """Characters of the words of a sentence that is written without spaces."""
    offsets: list[Characters] = []
    for form in forms:
        start = offsets[-1][1] if offsets else 0
        offsets.append((start, start + len(form)))
    return offsets


def trivial_labels(syntax: Syntax, units: Iterable[Span], rule: str) -> list[str]:
    """Labels with the ``first word``, or all words ``before the verb``, as the topical theme of each unit."""
    labels: list[str] = []
    for unit in units:
        topic = unit.start + 1
        if rule == "before the verb":
            words = range(unit.start, unit.end)
            topic = next((word for word in words if syntax.upos[word] in ("VERB", "AUX")), unit.end)
        labels += [TOPICAL_THEME] * (topic - unit.start) + [RHEME] * (unit.end - topic)
    return labels


def label_scores(gold: Sequence[str], predicted: Sequence[str | None]) -> dict[str, Counts]:
    """Counts of right words (``accuracy``) and of each label."""
    scores = {"accuracy": label_counts(gold, predicted)}
    for name in LABEL_NAMES:
        right = sum(label == other == name for label, other in zip(gold, predicted, strict=True))
        scores[name] = Counts(right, gold.count(name), right, list(predicted).count(name))
    return scores


def main() -> None:
    """Parse the arguments, read, analyse, print."""
    parser = arguments(__doc__)
    parser.add_argument("--ctrd", nargs="+", required=True, metavar="PATTERN", help="XML files of CTRD")
    parser.add_argument("--part", choices=("train", "dev", "test"), default="dev", help="documents to score")
    parser.add_argument("--dev", type=int, default=ImportedWords.dev, help="number of documents for development")
    parser.add_argument(
        "--test", type=int, default=ImportedWords.test, help="number of documents for the test, the last ones"
    )
    parser.add_argument("--words", choices=("corpus", "predicted"), default="corpus", help="words and discourse units")
    parser.add_argument("--weights", default="resources/analysers/zh", metavar="FOLDER", help="models of Chinese")
    options = parser.parse_args()

    documents = documents_of(ImportedWords(format="ctrd", files=options.ctrd, dev=options.dev, test=options.test))
    first, last = len(documents) - options.dev - options.test, len(documents) - options.test
    part = {"train": documents[:first], "dev": documents[first:last], "test": documents[last:]}[options.part]
    sentences = [sentence for _, document in part for sentence in sentences_of(document)]
    words = [[word for clause in sentence for word, _ in clause] for sentence in sentences]
    offsets = [offsets_of(forms) for forms in words]
    gold = [label for sentence in sentences for clause in sentence for _, label in clause]

    own = options.words == "corpus"
    texts = ["".join(forms) for forms in words]
    spans = offsets if own else load_segmenter(options.weights).tokenise(texts)
    forms = [[text[start:end] for start, end in ranges] for text, ranges in zip(texts, spans)]
    [analyses] = load_analyser(options.weights, units=not own).analyse([forms])
    units = [unit for number, sentence in enumerate(sentences) for unit in units_of(sentence, number)]
    if not own:
        units = list(edus_of_starts([analysis.edu_starts for analysis in analyses]))
    themes = [(characters(theme.span, spans), theme.label) for theme in label_themes(analyses, units, "zh")]
    labels: dict[str, Sequence[str | None]] = {"rheme": [RHEME] * len(gold), "rules": labels_of_words(themes, offsets)}
    for rule in ("first word", "before the verb") if own else ():
        labels[rule] = [
            label
            for analysis, sentence in zip(analyses, sentences)
            for label in trivial_labels(analysis, units_of(sentence, 0), rule)
        ]
    print("labels", "accuracy", *(f"{name} P / R / F1" for name in LABEL_NAMES), sep="\t")
    for rule, predicted in labels.items():
        scores = label_scores(gold, predicted)
        figures = (
            f"{one.precision:.1f} / {one.recall:.1f} / {one.f1:.1f}" for one in map(scores.get, LABEL_NAMES) if one
        )
        print(rule, f"{scores['accuracy'].recall:.2f}", *figures, sep="\t")
    print(f"{len(part)} documents, {len(gold)} words", file=sys.stderr)


if __name__ == "__main__":
    run(main)
