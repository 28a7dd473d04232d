"""Every source word of a test set with what it is translated by, in the reference and in the hypothesis."""

import numpy as np
import pandas as pd

from discourse_nmt.corpus.spans import most_shared
from discourse_nmt.scoring.alignment.references import KEY, same
from discourse_nmt.scoring.alignment.word_alignment import Aligner

ABSENT = "_"  # CoNLL-U's mark of an annotation that is not there
NONE = np.empty(0, np.int64)


def translated_words(pairs: pd.DataFrame, tokens: pd.DataFrame, aligner: Aligner) -> pd.DataFrame:
    """One row per source word, in text order.

    ``pairs`` comes from :func:`.pair`, ``tokens`` are those of the test set. Columns: doc_id, sent_id,
    start, end (characters in the raw sentence), word, and reference and hypothesis, the word of each that it is linked
    with, empty for none. All words are in lower case. Raises :class:`InputError` for a sentence without tokens.
    """
    source = tokens[tokens["side"] == "source"][[*KEY, "tokens", "starts", "ends"]]
    same(pairs, source, "has no tokens", "has tokens but is not in the test set")
    sentences = pairs.merge(source, on=KEY)
    columns = {"start": "starts", "end": "ends", "word": "tokens"}
    words = sentences[[*KEY, *columns.values()]].explode(list(columns.values()), ignore_index=True)
    words = words.rename(columns={name: column for column, name in columns.items()}).dropna(subset="word")
    for side in ("reference", "hypothesis"):
        translations = sentences[f"{side}_tokens"].tolist()
        links = aligner.align(sentences["tokens"].tolist(), translations)
        words[side] = [
            translation[link].lower() if link >= 0 else ""
            for translation, linked in zip(translations, links)
            for link in linked.tolist()
        ]
    return words.astype({"start": int, "end": int}).assign(word=[word.lower() for word in words["word"]])


def described(words: pd.DataFrame, syntax: pd.DataFrame) -> pd.DataFrame:
    """``words`` with the columns lemma (in lower case) and upos of a table ``syntax`` of the source side.

    A word has those of the analyser's word with which it shares most characters, or, where there is none, its own form
    and no tag.
    """
    rows = {(row["doc_id"], row["sent_id"]): row for row in syntax.to_dict("records")}
    lemmas, tags = [], []
    for (document, number), sentence in words.groupby(KEY, sort=False):
        row = rows.get((document, number), {"starts": NONE, "ends": NONE})
        spans = (sentence[border].to_numpy(np.int64) for border in ("start", "end"))
        found = most_shared(*spans, *(row[border].astype(np.int64) for border in ("starts", "ends")))
        for word, own in zip(sentence["word"], found.tolist(), strict=True):
            known = own >= 0 and row["lemmas"][own] != ABSENT
            lemmas.append(row["lemmas"][own].lower() if known else word)
            tags.append(row["upos"][own] if own >= 0 else "")
    return words.assign(lemma=lemmas, upos=tags)
