"""Write the documents of a split as chats to fine-tune language models with, in four forms, with a data card.

docs/how-to/language-models.md explains the forms.
"""

import json
from collections import Counter
from pathlib import Path

from discourse_nmt.base.languages import language_name
from discourse_nmt.base.progress import progress
from discourse_nmt.base.sources import Source
from discourse_nmt.base.storage.files import replacing, write_text
from discourse_nmt.discourse.records.json_lines import read_records
from discourse_nmt.language_models.chat import message_tokens
from discourse_nmt.language_models.chats import chats
from discourse_nmt.language_models.settings import FORMS
from discourse_nmt.workflow_scripts.command import arguments, run

MEANINGS = {
    "documents": "a document in one answer",
    "chunks": "a part of the RST tree, with the sentences before it and their translations",
    "tags": "such a part with a tag around each discourse unit: its relation and the unit that it belongs to",
    "shuffled_tags": "the same tags, dealt out at random within the document: the control for structure",
}
CARD = """\
# Chats: {corpus}, {split}

{pairs:,} sentence pairs of {documents:,} documents, {source} to {target}. Licence of the text: {licence}.

| file | a chat is | chats | tokens, by rule |
| --- | --- | --- | --- |
{rows}

Each line is a JSON object: `doc_id`, `first_sentence` (from 0), `sentences` (their number), and `messages` with the
roles system, user and assistant. The answers are the references of the corpus; a unit without one is left out.

Discourse units, relations and trees are those of the analysis `{analysis}`. Analysers make mistakes, and nobody has
checked these. Compare a model that learns from `tags` with one that learns from `shuffled_tags`, which has the same
words, tags and tokens: a gain of both is not due to structure.

Made by discourse-nmt from the file {file}.
"""


def main() -> None:
    """Read documents, write chats and card."""
    parser = arguments(__doc__)
    add = parser.add_argument
    add("--documents", type=Path, required=True, help="documents as JSON lines, of the target documents_jsonl")
    add("--analysis", required=True, help="name of the analysis, for the card")
    add("--seed", type=int, default=1, help="seed of shuffled tags")
    add("--output", type=Path, required=True, help="folder to write: FORM.jsonl for each form, README.md")
    options = parser.parse_args()

    found = list(read_records(Source(str(options.documents), None, options.documents)))
    records = [record for record, _ in found]
    about = found[0][1] if found else {}
    source, target = (about.get(f"{side}_language") or "en" for side in ("source", "target"))
    rows = []
    for form in FORMS:
        counts: Counter[str] = Counter()
        with replacing(options.output / f"{form}.jsonl") as temporary, temporary.open("w", encoding="utf-8") as file:
            for chat in progress(chats(records, form, (source, target), options.seed), f"writing {form}", "chats"):
                file.write(f"{json.dumps(chat, ensure_ascii=False)}\n")
                counts += Counter(chats=1, tokens=message_tokens(chat["messages"]))
        rows.append(f"| `{form}.jsonl` | {MEANINGS[form]} | {counts['chats']:,} | {counts['tokens']:,} |")
    card = CARD.format(
        corpus=about.get("corpus"),
        split=about.get("split"),
        pairs=sum(len(record.source) for record in records),
        documents=len(records),
        source=language_name(source),
        target=language_name(target),
        licence=about.get("licence") or "not stated; corpora.NAME.licence of the configuration states it",
        rows="\n".join(rows),
        analysis=options.analysis,
        file=options.documents.name,
    )
    write_text(card, options.output / "README.md")


if __name__ == "__main__":
    run(main)
