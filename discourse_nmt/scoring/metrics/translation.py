"""All sentence-level and BLEU scores of one translated test set, and their segments."""

from dataclasses import dataclass

import pandas as pd

from discourse_nmt.scoring.metrics.bleu import Measure, bleu, chrf, length_ratio, multi_bleu, ter
from discourse_nmt.scoring.metrics.documents import join
from discourse_nmt.scoring.metrics.score import ASKED, DISTINCT, OF_ALIGNMENT, Score, of_new_sentences


@dataclass(frozen=True)
class Segments:
    """Aligned segments of a measure, and the document of each; a ``unit`` is a sentence, a document or an instance."""

    measure: Measure
    unit: str
    hypotheses: list[str]
    references: list[str]
    documents: list[str]

    def score(self) -> Score:
        """The measure's value for all segments."""
        return self.measure.score(self.hypotheses, self.references)

    def length_ratio(self) -> Score:
        """That of a measure which is a BLEU, see :func:`.length_ratio`."""
        return length_ratio(self.measure, self.hypotheses, self.references)


def measured_segments(pairs: pd.DataFrame, *, language: str, lowercase: bool) -> list[Segments]:
    """The segments of a test set for each measure of sacrebleu that the project reports.

    ``pairs`` comes from :func:`.pair`; ``language`` is the target language; with ``lowercase``, case is ignored.
    """
    texts = pairs["hypothesis"].tolist(), pairs["reference"].tolist()
    words = pairs["hypothesis_tokens"].map(" ".join).tolist(), pairs["reference_tokens"].map(" ".join).tolist()
    documents = pairs["doc_id"].tolist()

    def joined(measure: Measure, unit: str, column: str) -> Segments:
        units = pairs[column]
        sides = join(texts[0], units), join(texts[1], units)
        return Segments(measure, unit, *sides, pairs.loc[units != units.shift(), "doc_id"].tolist())

    return [
        Segments(bleu("s-BLEU", language, lowercase), "sentence", *texts, documents),
        joined(bleu("d-BLEU (document)", language, lowercase), "document", "doc_id"),
        joined(bleu("d-BLEU (instance)", language, lowercase), "instance", "instance"),
        Segments(chrf(lowercase), "sentence", *texts, documents),
        Segments(ter(language), "sentence", *texts, documents),
        Segments(multi_bleu(lowercase), "sentence", *words, documents),
    ]


def translation_scores(pairs: pd.DataFrame, *, language: str, lowercase: bool) -> list[Score]:
    """Score a test set; the arguments are those of :func:`measured_segments`."""
    measured = measured_segments(pairs, language=language, lowercase=lowercase)
    sentences, documents, instances = measured[:3]
    return [
        *(segments.score() for segments in measured),
        sentences.length_ratio(),
        *translation_counts(sentences),
        Score("documents", len(documents.references), "count"),
        Score("instances", len(instances.references), "count"),
    ]


def translation_counts(sentences: Segments) -> list[Score]:
    """The number of sentences, of empty translations and of translations that differ from each other."""
    texts = [text.strip() for text in sentences.hypotheses]
    return [
        Score("sentences", len(texts), "count"),
        Score("empty translations", texts.count(""), "count"),
        Score(DISTINCT, len(set(texts)), "count"),
    ]


def alignment_counts(alignment: pd.DataFrame) -> list[Score]:
    """What an output leaves out and adds, by its table ``output_alignment``; none where its lines are sentences."""
    if alignment.empty:
        return []
    counts = [alignment[column].map(len).sum() for column in ("omitted", "added")]
    counts.append(alignment["problem"].notna().sum())
    return [Score(name, int(count), "count") for name, count in zip(OF_ALIGNMENT, counts, strict=True)]


def answer_counts(answers: pd.DataFrame) -> list[Score]:
    """What a language model's translations cost, by their table ``language_model_answers``, and faults of answers."""
    sums = [int(answers[column].sum()) for column in ("tokens_sent", "tokens_received")]
    counts = [len(answers), *sums, int(answers["fault"].notna().sum())]
    return [Score(name, count, "count") for name, count in zip(ASKED, counts, strict=True)]


def new_sentence_scores(pairs: pd.DataFrame, repeats: pd.DataFrame, *, language: str, lowercase: bool) -> list[Score]:
    """s-BLEU and chrF2++ of the sentences of a test set whose source does not stand in train, and their number.

    ``repeats`` is the table of that name; the other arguments are those of :func:`measured_segments`. Empty where all
    sentences are new: the scores of the whole test set are theirs; only the number is given where none is.
    """
    keys = ["doc_id", "sent_id"]
    repeated = pd.MultiIndex.from_frame(pairs[keys]).isin(pd.MultiIndex.from_frame(repeats[keys]))
    if not repeated.any():
        return []
    new = pairs[~repeated]
    scores = [
        Score(of_new_sentences(score.metric), score.value, score.signature)
        for measure in (bleu("s-BLEU", language, lowercase), chrf(lowercase))
        for score in ([measure.score(new["hypothesis"].tolist(), new["reference"].tolist())] if len(new) else [])
    ]
    return [*scores, Score(of_new_sentences("sentences"), len(new), "count")]
