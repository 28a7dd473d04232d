"""The documents of a suite as texts that another system translates."""

import json
from collections.abc import Mapping

from discourse_nmt.corpus.suites.importing import ImportedSuite


def sources_of(suite: ImportedSuite) -> dict[str, list[str]]:
    """The source sentences of each document whose last sentences are tested, without those of wrong variants."""
    tested = set(suite.items["doc_id"])
    return {one.doc_id: one.source.sentences for one in suite.documents if one.doc_id in tested}


def texts_to_translate(sources: Mapping[str, list[str]], form: str, *, name: str, languages: tuple[str, str]) -> str:
    """The documents of the suite ``name`` in the ``form`` text, jsonl or wmt.

    ``text`` has a line for each sentence and a blank line between documents; ``jsonl`` an object for each document with
    its list of ``sentences``; ``wmt`` the form of WMT's test sets, whose ``src_text`` has a line for each sentence.
    """
    if form == "text":
        return "\n".join("".join(f"{sentence}\n" for sentence in sentences) for sentences in sources.values())
    source_language, target_language = languages
    objects: list[dict[str, object]] = [
        {"doc_id": document, "sentences": sentences}
        if form == "jsonl"
        else {
            "doc_id": document,
            "domain": name,
            "src_lang": source_language,
            "tgt_lang": target_language,
            "src_text": "\n".join(sentences),
        }
        for document, sentences in sources.items()
    ]
    return "".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in objects)
