"""Every source word of a test set with its translations in the reference and in the hypothesis."""

import numpy as np
import pandas as pd

from discourse_nmt.base.spans import most_shared
from discourse_nmt.scoring.alignment.references import KEY, same
from discourse_nmt.word_alignment.model import Aligner

ABSENT = "_"  # CoNLL-U's mark of a missing annotation
NONE = np.empty(0, np.int64)


def translated_words(pairs: pd.DataFrame, tokens: pd.DataFrame, aligner: Aligner) -> pd.DataFrame:
    """One row per source word, in text order.

    ``pairs`` comes from :func:`.pair`, ``tokens`` are those of the test set. Columns: doc_id, sent_id, start, end
    (characters in the raw sentence), word, and the linked word of reference and hypothesis, empty for none. All words
    are in lower case.

    Raises :class:`InputError`: a sentence has no tokens.
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

    Lemma and tag are those of the analyser's word that shares most characters with the word. If there is none, the
    lemma is the word itself and the tag is empty.
    """
    syntax_of = {(row["doc_id"], row["sent_id"]): row for row in syntax.to_dict("records")}
    lemmas, tags = [], []
    for (document, number), sentence in words.groupby(KEY, sort=False):
        row = syntax_of.get((document, number), {"starts": NONE, "ends": NONE})
        spans = (sentence[border].to_numpy(np.int64) for border in ("start", "end"))
        analysed = most_shared(*spans, *(row[border].astype(np.int64) for border in ("starts", "ends")))
        for word, index in zip(sentence["word"], analysed.tolist(), strict=True):
            known = index >= 0 and row["lemmas"][index] != ABSENT
            lemmas.append(row["lemmas"][index].lower() if known else word)
            tags.append(row["upos"][index] if index >= 0 else "")
    return words.assign(lemma=lemmas, upos=tags)
