"""Requests and tokens that the jobs of language models would need, before any request is sent."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from discourse_nmt.base.storage.tables import read_table
from discourse_nmt.corpus.test_sets import paragraphs_of
from discourse_nmt.language_models.answers import KeptAnswers
from discourse_nmt.language_models.forecast import Forecast, forecast, token_ratio
from discourse_nmt.language_models.prompt_files import read_glossary
from discourse_nmt.language_models.prompts import Prompts
from discourse_nmt.language_models.source_records import source_records
from discourse_nmt.language_models.translation import Work
from discourse_nmt.workflow.jobs.interface import Wildcards
from discourse_nmt.workflow.plan.language_models import ANSWERS
from discourse_nmt.workflow.plan.plan import Plan

RULE = "ask_language_model"
REMEDY = f"for which snakemake --omit-from {RULE} makes what they read"


@dataclass(frozen=True)
class AskingJob:
    """A job that asks a language model for a test set. ``forecast`` is None as long as its prompts cannot be made."""

    corpus: str
    experiment: str
    forecast: Forecast | None


def asking_job(plan: Plan, wildcards: Wildcards, seen: set[str]) -> AskingJob:
    """What a job would ask for, once corpus and annotation are there; ``seen`` as in :func:`.forecast`."""
    corpus, split, seed = wildcards.corpus, wildcards.split, int(wildcards.seed)
    sentences = plan.files.shards("corpus", corpus, split)
    documents = plan.files.document_order(corpus, split)
    if not all(Path(path).exists() for path in [documents, *sentences, *plan.language_models.tables(wildcards)]):
        return AskingJob(corpus, wildcards.experiment, None)
    settings = plan.language_models.settings(wildcards)
    languages = (plan.corpora.source_language(wildcards), plan.corpora.target_language(wildcards))
    prompts = Prompts(settings, languages, seed, read_glossary(settings.glossary))
    records = source_records(sentences, documents, plan.language_models.table_options(wildcards))
    work = Work(records, prompts, settings, seed, paragraphs_of(documents))
    kept = KeptAnswers(Path(ANSWERS), plan.language_models.owner(wildcards))
    return AskingJob(corpus, wildcards.experiment, forecast(work, kept, _ratio(plan, corpus), seen))


def _ratio(plan: Plan, corpus: str) -> float:
    """Target tokens for each source token, by the first file of train."""
    path = plan.files.shards("corpus", corpus, "train")[0]
    if not Path(path).exists():
        return 1.0
    table = read_table(path, "sentences", ["source", "target"])
    return token_ratio(table.itertuples(index=False, name=None))


def told(jobs: Iterable[AskingJob]) -> Iterator[str]:
    """A line for each experiment with a language model, and one for all."""
    by_experiment: dict[tuple[str, str], list[Forecast | None]] = defaultdict(list)
    for job in jobs:
        by_experiment[job.corpus, job.experiment].append(job.forecast)
    for (corpus, experiment), forecasts in by_experiment.items():
        known = [one for one in forecasts if one is not None]
        name = f"{experiment} on {corpus}"
        if len(known) < len(forecasts):
            yield f"{name}: requests are not known before its prompts can be made, {REMEDY}."
        else:
            yield f"{name}: {_figures(known)}."
    every = [one for forecasts in by_experiment.values() for one in forecasts if one is not None]
    if len(by_experiment) > 1 and every:
        yield f"All language models: {_figures(every)}."


def _figures(forecasts: Iterable[Forecast]) -> str:
    requests, sent, received, kept = (
        sum(column)
        for column in zip(*((one.requests, one.tokens_sent, one.tokens_received, one.kept) for one in forecasts))
    )
    of_kept = f"; {kept:,} answers are kept" if kept else ""
    return f"{requests:,} requests, about {sent:,} tokens sent and {received:,} received{of_kept}"
