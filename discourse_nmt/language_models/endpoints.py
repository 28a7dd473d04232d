"""Where requests go: a server that speaks OpenAI's chat protocol, or a program."""

import json
import os
import subprocess
from collections.abc import Mapping
from typing import Protocol

import requests

from discourse_nmt.base.errors import InputError
from discourse_nmt.language_models.chat import Answer, ChatRequest, UnreadableAnswerError, answer_of
from discourse_nmt.language_models.settings import LanguageModelSettings

CONNECTING = 10.0  # seconds to wait for a connection
OF_ONE_REQUEST = (400, 413, 422)  # statuses of requests that a server cannot read, such as one too long
SHOWN = 200  # characters of a server's words in a message


class BusyError(Exception):
    """A failure that may pass: the request is worth sending again, after ``pause`` seconds if the server names them."""

    def __init__(self, reason: str, pause: float | None = None) -> None:
        super().__init__(reason)
        self.pause = pause


class RefusedError(Exception):
    """The server refuses this request, for example for its length; others may be answered."""


class Endpoint(Protocol):
    """Answers requests."""

    def answer(self, request: ChatRequest) -> Answer:
        """The answer; :class:`BusyError` for a failure that may pass, :class:`RefusedError` for one of this request,
        :class:`InputError` for one of all.
        """


class Server:
    """A server at an address. The key comes from the environment when a request is sent and is kept nowhere."""

    def __init__(self, settings: LanguageModelSettings) -> None:
        assert settings.address is not None
        self._address = f"{settings.address.rstrip('/')}/chat/completions"
        self._variable, self._time_limit = settings.key_variable, settings.time_limit
        if self._variable is not None and not os.environ.get(self._variable):
            raise InputError(
                f"the environment variable {self._variable} is not set",
                remedy="set it to the key of the server, or set key_variable to null",
            )

    def answer(self, request: ChatRequest) -> Answer:
        """See :class:`Endpoint`."""
        key = os.environ.get(self._variable, "") if self._variable else ""
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        try:
            # A redirection could carry the key to another server.
            response = requests.post(
                self._address,
                json=request.body,
                headers=headers,
                timeout=(CONNECTING, self._time_limit or None),
                allow_redirects=False,
            )
        except requests.Timeout:
            raise BusyError(f"no answer within {self._time_limit:g} seconds") from None
        except requests.RequestException as error:
            raise BusyError(f"no connection ({type(error).__name__})") from None
        # A cut before this would leave a part of a key.
        said = (response.text.replace(key, "***") if key else response.text)[:SHOWN]
        if response.status_code in (408, 425, 429) or response.status_code >= 500:
            raise BusyError(f"status {response.status_code}", _pause(response.headers))
        told = f"status {response.status_code}: {' '.join(said.split())}"
        if response.status_code in OF_ONE_REQUEST:
            raise RefusedError(told)
        if response.status_code != 200:
            raise InputError(
                f"the server answered with {told}",
                file=self._address,
                remedy="check model, parameters and the key",
            )
        try:
            return answer_of(response.json())
        except ValueError:
            raise BusyError("the answer is cut off: it is no JSON") from None
        except UnreadableAnswerError as error:
            raise BusyError(f"the answer is not of the chat protocol: {error}") from None


def _pause(headers: Mapping[str, str]) -> float | None:
    try:
        return max(0.0, float(headers["Retry-After"]))
    except (KeyError, ValueError):  # absent, or a date
        return None


class Program:
    """A program that is run for each request, without a shell."""

    def __init__(self, settings: LanguageModelSettings) -> None:
        self._command, self._time_limit = settings.command, settings.time_limit

    def answer(self, request: ChatRequest) -> Answer:
        """See :class:`Endpoint`; the program's output is the answer, or an object of the chat protocol."""
        try:
            done = subprocess.run(
                self._command,
                input=json.dumps(request.body).encode(),
                capture_output=True,
                timeout=self._time_limit or None,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise BusyError(f"{self._command[0]} took more than {self._time_limit:g} seconds") from None
        except OSError as error:
            raise InputError(
                f"the command {self._command[0]} cannot be started ({error.strerror})", remedy="correct command"
            ) from None
        text = done.stdout.decode("utf-8", errors="replace")
        if done.returncode:
            words = done.stderr.decode("utf-8", errors="replace").strip().splitlines()
            last = words[-1][:SHOWN] if words else "no words"
            raise BusyError(f"{self._command[0]} ended with exit status {done.returncode}: {last}")
        try:
            return answer_of(json.loads(text))
        except (ValueError, UnreadableAnswerError):
            return Answer(text.strip("\n"))


def endpoint_of(settings: LanguageModelSettings) -> Endpoint:
    """The server or program of ``settings``; raises :class:`InputError` for a key that is not set."""
    return Program(settings) if settings.address is None else Server(settings)
