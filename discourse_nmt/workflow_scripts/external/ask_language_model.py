"""Ask a language model for the translations of a test set.

Answers are kept as they come: a job that goes on asks for the others alone. docs/how-to/language-models.md explains.
"""

import json
import logging
from pathlib import Path

import pandas as pd

from discourse_nmt.base.settings import parse_settings
from discourse_nmt.base.storage.files import replacing
from discourse_nmt.base.storage.tables import TABLES, write_table
from discourse_nmt.corpus.test_sets import paragraphs_of
from discourse_nmt.language_models.answers import KeptAnswers
from discourse_nmt.language_models.endpoints import endpoint_of
from discourse_nmt.language_models.prompt_files import read_glossary
from discourse_nmt.language_models.prompts import Prompts
from discourse_nmt.language_models.sender import Sender
from discourse_nmt.language_models.settings import LanguageModelSettings
from discourse_nmt.language_models.source_records import source_records
from discourse_nmt.language_models.translation import TranslatedDocument, Work, faults, translate
from discourse_nmt.workflow_scripts.command import JsonObject, arguments, run

log = logging.getLogger(__name__)


def main() -> None:
    """Read sentences and annotation, ask, write translations and the table of answers."""
    parser = arguments(__doc__)
    add = parser.add_argument
    add("--documents", type=Path, required=True, help="documents table of the test set (Parquet)")
    add("--sentences", nargs="+", required=True, help="sentences tables of the test set, every shard")
    add("--tables", nargs="*", default=[], metavar="TABLE=FILE", help="tables of annotation of the source, every shard")
    add("--languages", nargs=2, required=True, metavar="CODE", help="source and target language")
    add("--settings", action=JsonObject, required=True, help="settings of the experiment, as JSON")
    add("--seed", type=int, required=True, help="seed of requests and of random sentences")
    add("--answers", type=Path, required=True, help="folder of answers that were paid for")
    add("--owner", required=True, help="name under which new answers are kept; the budget counts its own")
    add("--table", type=Path, required=True, help="language_model_answers table to write (Parquet)")
    add("--output", type=Path, required=True, help="translations to write (JSON lines)")
    options = parser.parse_args()

    settings = parse_settings(LanguageModelSettings, options.settings, "settings")
    languages = (options.languages[0], options.languages[1])
    prompts = Prompts(settings, languages, options.seed, read_glossary(settings.glossary))
    sender = Sender(endpoint_of(settings), KeptAnswers(options.answers, options.owner), settings)
    records = source_records(options.sentences, options.documents, options.tables)
    work = Work(records, prompts, settings, options.seed, paragraphs_of(options.documents))
    documents = translate(work, sender)
    spent = sender.spending
    log.info(
        "%d requests, %d of them sent now; %d tokens sent, %d received",
        *(spent.requests, spent.sent, spent.prompt_tokens, spent.completion_tokens),
    )
    for reason, count in (spent.failures + faults(documents)).items():
        log.warning("%d times: %s", count, reason)
    write_table(answers_table(documents), options.table, "language_model_answers")
    with replacing(options.output) as temporary, temporary.open("w", encoding="utf-8") as file:
        for document in documents:
            value = {"doc_id": document.doc_id, "hypotheses": document.lines}
            file.write(f"{json.dumps(value, ensure_ascii=False)}\n")


def answers_table(documents: list[TranslatedDocument]) -> pd.DataFrame:
    """The table ``language_model_answers`` of some documents."""
    rows = [
        {
            "doc_id": document.doc_id,
            "sent_id": answer.sentences.start,
            "sentences": len(answer.sentences),
            "tokens_sent": answer.tokens_sent,
            "tokens_received": answer.tokens_received,
            "fault": answer.fault or None,
            "request": answer.request,
        }
        for document in documents
        for answer in document.answers
    ]
    return pd.DataFrame(rows, columns=list(TABLES["language_model_answers"]))


if __name__ == "__main__":
    run(main)
