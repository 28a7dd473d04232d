"""The switches of ``system: llm``. Free of torch, so that the workflow can read them."""

import re
from dataclasses import dataclass, replace
from typing import Any, Literal

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import setting

LLM = "llm"  # the system
Unit = Literal["sentence", "chunk", "paragraph", "document"]
Context = Literal["none", "previous", "document", "graph_neighbours", "tree_neighbours", "shuffled_neighbours"]


@dataclass(frozen=True)
class LanguageModelSettings:
    """How a language model is asked for translations, by ``system: llm``."""

    model: str = setting("", 'name of the model, as the server knows it; part of every request, "" for none')
    address: str | None = setting(
        None,
        "address of a server that speaks OpenAI's chat protocol, up to the part before /chat/completions, for example "
        "http://127.0.0.1:8000/v1; null for a command",
    )
    command: list[str] = setting(
        [],
        "program with its arguments, run once for each request instead: reads the request as JSON from standard input "
        "and writes the answer to standard output",
    )
    key_variable: str | None = setting(
        None, "environment variable that holds the key of the server; the key itself stands in no file; null for none"
    )
    unit: Unit = setting(
        "sentence", "text that one request translates; a chunk is a part of the tree, as large as chunk_words allows"
    )
    chunk_words: int = setting(150, "source words that a chunk has at most, or one sentence", minimum=1)
    context: Context = setting(
        "none",
        "other source sentences that a prompt shows, with their translations where these exist: the ones before, the "
        "whole document, those with most links in the document graph, those next in the tree, or random ones with as "
        "many words (the control)",
    )
    context_sentences: int = setting(3, "number of these sentences, but for the whole document", minimum=1)
    shuffled: Literal["graph_neighbours", "tree_neighbours"] = setting(
        "tree_neighbours", "neighbours that random sentences replace, for shuffled_neighbours"
    )
    order: Literal["text", "tree"] = setting(
        "text", "order in which the units of a document are translated; tree: a unit after the one that it depends on"
    )
    template: str = setting(
        "translate",
        "prompt: one that ships with the project (translate, numbered, tags, shuffled_tags), or a file in Jinja",
    )
    glossary: str | None = setting(
        None, "file of terms, one a line: source, tab, target; a prompt gets those whose source stands in its unit"
    )
    parameters: dict[str, Any] = setting(
        {"temperature": 0},
        "further keys of every request, for example max_tokens; seed is that of the run, null leaves it out",
    )
    parallel: int = setting(4, "requests that are under way at a time", minimum=1)
    requests_per_minute: int | None = setting(
        None, "requests that are sent in a minute at most; null for any", minimum=1
    )
    time_limit: float = setting(120, "seconds to wait for an answer before it is asked for again", minimum=0)
    attempts: int = setting(
        6,
        "times that a request is sent when the server is busy, fails or does not answer, with growing pauses",
        minimum=1,
    )
    budget_requests: int | None = setting(
        None,
        "requests after which a run stops; answers that were kept count, as they were paid; null for any",
        minimum=0,
    )
    budget_tokens: int | None = setting(None, "tokens, sent and received, in the same way; null for any", minimum=0)

    def __post_init__(self) -> None:
        if (self.address is None) == (not self.command):
            given = "neither of address and command" if self.address is None else "both address and command"
            raise InputError(f"there are {given}", remedy="give one of the two")
        if self.address is not None and not re.match(r"https?://[^/\s]+", self.address):
            raise InputError(f"address is {self.address!r}", remedy="write for example http://127.0.0.1:8000/v1")
        if self.address is not None and "@" in self.address.split("/")[2]:
            raise InputError("address holds a name or a key", remedy="put the key into the variable of key_variable")
        if self.key_variable is not None and not re.fullmatch(r"[A-Za-z_]\w*", self.key_variable, re.ASCII):
            raise InputError(
                "key_variable is no name of an environment variable",
                remedy="name the variable that holds the key, for example OPENAI_API_KEY; write no key here",
            )
        for key in ("messages", "model", "stream"):
            if key in self.parameters:
                remedy = "name it under model" if key == "model" else "it is set for every request"
                raise InputError(f"parameters.{key} is no further key", remedy=f"leave it out: {remedy}")


NOBODY = LanguageModelSettings(command=["nobody"])  # who would be asked; chats are not sent
FORMS = {
    "documents": replace(NOBODY, unit="document"),
    "chunks": replace(NOBODY, unit="chunk", context="previous"),
    "tags": replace(NOBODY, unit="chunk", template="tags"),
    "shuffled_tags": replace(NOBODY, unit="chunk", template="shuffled_tags"),
}
"""Forms of chats: document to document; parts of the tree with the sentences before; with tags; with shuffled tags."""
