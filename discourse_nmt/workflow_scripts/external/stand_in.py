"""A stand-in for a language model, on loopback: it translates the source text of a prompt with a model folder.

It speaks OpenAI's chat protocol, so that the whole way can be tried without a language model, and it can fail in the
ways of servers and of language models.
"""

import hashlib
import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

from discourse_nmt.language_models.chat import message_tokens, token_count

Translate = Callable[[Sequence[str]], Sequence[str]]
SOURCE = re.compile(r"<source>\n(.*?)\n?</source>", re.DOTALL)
NUMBER = re.compile(r"(\[\d+\]) ")
TAG = re.compile(r"</?unit[^>]*>")
OF_THE_SERVER = ("busy", "fails", "hangs", "breaks off", "nonsense")
OF_THE_ANSWER = ("loses a line", "merges lines", "cut off", "repeats", "refuses", "copies")
FAULTS = OF_THE_SERVER + OF_THE_ANSWER


class StandIn(ThreadingHTTPServer):
    """The server. ``faults`` has the probability of each fault; ``pause`` is how long it hangs, in seconds.

    The faults of a request follow from its text and from how often it has come, so that they recur.
    """

    daemon_threads = True

    def __init__(
        self, translate: Translate, faults: dict[str, float], pause: float = 3600, port: int = 0, seed: int = 1
    ) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self._translate, self._faults, self.pause, self._seed = translate, faults, pause, seed
        self._lock = threading.Lock()
        self.came: Counter[str] = Counter()
        """How often each request has come."""
        self.answered: Counter[str] = Counter()
        """How often each request was answered with a translation."""
        self.injected: Counter[str] = Counter()

    @property
    def address(self) -> str:
        """The address for ``settings: {address: ...}``."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def fault(self, digest: str) -> str:
        """The fault of the next answer to a request; empty for none."""
        with self._lock:
            self.came[digest] += 1
            number = self.came[digest]
        drawn = hashlib.sha256(f"{self._seed} {digest} {number}".encode()).digest()
        rng = np.random.default_rng(int.from_bytes(drawn[:8], "big"))
        chances = list(self._faults.values())
        fault = str(rng.choice(["", *self._faults], p=[1 - sum(chances), *chances]))
        if fault:
            with self._lock:
                self.injected[fault] += 1
        return fault

    def answer(self, request: dict[str, Any], digest: str, fault: str) -> dict[str, Any]:
        """The body of the answer to a ``request``."""
        prompt = "\n".join(message["content"] for message in request["messages"])
        found = SOURCE.findall(prompt)
        source = TAG.sub("", found[-1] if found else request["messages"][-1]["content"]).split("\n")
        marks = [match[1] if (match := NUMBER.match(line)) else "" for line in source]
        bare = [NUMBER.sub("", line, count=1) if mark else line for line, mark in zip(source, marks)]
        with self._lock:
            lines = list(self._translate(bare))
            self.answered[digest] += 1
        lines = [f"{mark} {line}".strip() for mark, line in zip(marks, lines)]
        reason = "stop"
        if fault == "loses a line" and len(lines) > 1:
            del lines[len(lines) // 2]
        elif fault == "merges lines":
            lines = [" ".join(lines)]
        elif fault == "cut off":
            text = "\n".join(lines)
            lines, reason = text[: len(text) // 2].split("\n"), "length"
        elif fault == "repeats":
            lines.append(" ".join([*lines[-1:] * 8]))
        elif fault == "refuses":
            lines = ["I'm sorry, but I can't help with that."]
        elif fault == "copies":
            lines = bare
        text = "\n".join(lines)
        usage = {"prompt_tokens": message_tokens(request["messages"]), "completion_tokens": token_count(text)}
        message = {"role": "assistant", "content": text}
        return {"choices": [{"index": 0, "message": message, "finish_reason": reason}], "usage": usage}


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: StandIn

    def do_POST(self) -> None:
        """Answer a request of the chat protocol."""
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        digest = hashlib.sha256(body).hexdigest()
        fault = self.server.fault(digest)
        if fault == "busy":
            self._say(429, b'{"error": "too many requests"}', {"Retry-After": "0"})
        elif fault == "fails":
            self._say(500, b"internal error")
        elif fault == "hangs":
            time.sleep(self.server.pause)
        elif fault == "breaks off":
            self.close_connection = True
        elif fault == "nonsense":
            self._say(200, b'{"choices": [{"mess')
        else:
            self._say(200, json.dumps(self.server.answer(json.loads(body), digest, fault)).encode())

    def _say(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *values: object) -> None:
        """Say nothing of requests."""
