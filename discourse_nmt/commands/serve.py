"""Serve a local page that translates documents with one or several models side by side."""

import argparse
import logging
from importlib.util import find_spec
from pathlib import Path

from discourse_nmt.base.errors import InputError

SUMMARY = "Translate on a local web page, with one or several models side by side."
EXAMPLES = """\
The page shows the translations with their differences, and the discourse
units, tree, chains and themes of the source. It answers on this machine only,
unless --host names another address; it has no passwords.

examples:
  discourse-nmt serve --model results/demo/demo/experiments/mix/seed1/model
  discourse-nmt serve --model SENTENCE --model CONTEXT --port 8100
"""
LOOPBACK = ("127.0.0.1", "localhost")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Models, address, limits."""
    add = parser.add_argument
    add("--model", type=Path, action="append", required=True, metavar="DIR", help="model folder; can be repeated")
    add("--host", default="127.0.0.1", help="address to answer on; any other opens the models to others")
    add("--allow", action="append", default=[], metavar="NAME", help="further host names under which it answers")
    add("--port", type=int, default=8000, help="port to answer on")
    add("--characters", type=int, default=20_000, metavar="N", help="largest document")
    add("--threads", type=int, default=1, metavar="N", help="CPU threads of a translation")
    add(
        "--engine",
        choices=["own", "ctranslate2"],
        help="ctranslate2 is faster for short texts (default: the models' own)",
    )
    add("--device", choices=["auto", "cpu", "cuda"], default="auto", help="auto: cuda if there is one")


def run(arguments: argparse.Namespace) -> int:
    """Load the models, serve until Ctrl-C."""
    if missing := [name for name in ("flask", "waitress") if find_spec(name) is None]:
        remedy = "pip install --editable '.[serve]' in the checkout"
        raise InputError(f"the package {missing[0]} is missing", remedy=remedy)
    for name in ("threads", "characters"):
        if getattr(arguments, name) < 1:
            raise InputError(f"--{name} is {getattr(arguments, name)}", remedy="it must be at least 1")
    if not 0 < arguments.port < 65536:
        raise InputError(f"--port is {arguments.port}", remedy="it must be from 1 to 65535")

    import torch
    from waitress.server import create_server

    from discourse_nmt.serving.application import application
    from discourse_nmt.translation.translator import Translator

    torch.set_num_threads(arguments.threads)
    models: dict[str, Translator] = {}
    decoding = {} if arguments.engine is None else {"engine": arguments.engine}
    for folder in arguments.model:
        translator = Translator(folder, device=arguments.device, **decoding)
        name = translator.folder.name
        models[f"{name} ({folder})" if name in models else name] = translator
    app = application(models, {*LOOPBACK, arguments.host, *arguments.allow}, arguments.characters)
    try:
        server = create_server(app, host=arguments.host, port=arguments.port, threads=4)
    except OSError as error:
        raise InputError(
            f"cannot answer on {arguments.host} port {arguments.port} ({error.strerror})", remedy="give another --port"
        ) from None
    except ValueError:  # of a name that no address belongs to
        raise InputError(f"--host: {arguments.host} has no address", remedy="give one of this machine") from None
    if arguments.host not in LOOPBACK:
        logging.warning("everybody who reaches %s can use the models", arguments.host)
    logging.info("http://%s:%d/ (Ctrl-C ends)", arguments.host, arguments.port)
    try:
        server.run()
    finally:
        server.close()
    return 0
