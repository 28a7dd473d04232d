"""Serve a stand-in for a language model on loopback: it translates with a model folder, and fails as it is told to.

docs/how-to/language-models.md tries the whole way with it.
"""

from pathlib import Path

from discourse_nmt.base.errors import InputError
from discourse_nmt.translation import load
from discourse_nmt.workflow_scripts.command import arguments, run
from discourse_nmt.workflow_scripts.external.stand_in import FAULTS, StandIn


def main() -> None:
    """Load the model, serve until stopped."""
    parser = arguments(__doc__)
    add = parser.add_argument
    add("--model", type=Path, required=True, help="model folder that translates")
    add("--port", type=int, default=8765, help="port on 127.0.0.1")
    add("--faults", default="", metavar="NAME=SHARE,...", help=f"probability of each fault: {', '.join(FAULTS)}")
    add("--pause", type=float, default=3600.0, help="seconds that the fault hangs takes")
    options = parser.parse_args()
    chances = chances_of(options.faults)
    translator = load(options.model, device="cpu")
    server = StandIn(lambda lines: translator.translate(lines).lines, chances, options.pause, options.port)
    print(f"address: {server.address}", flush=True)
    server.serve_forever()


def chances_of(text: str) -> dict[str, float]:
    """Faults with their probabilities, from ``NAME=SHARE,...``; :class:`InputError` for what is none."""
    found: dict[str, float] = {}
    for part in filter(None, text.split(",")):
        name, _, share = part.partition("=")
        if name not in FAULTS:
            raise InputError(f"--faults: no fault {name}", remedy=f"there are {', '.join(FAULTS)}")
        try:
            found[name] = float(share)
        except ValueError:
            raise InputError(f"--faults: {share!r} is no probability") from None
    if any(share < 0 for share in found.values()) or sum(found.values()) > 1:
        raise InputError("--faults: probabilities are at least 0 and at most 1 together")
    return found


if __name__ == "__main__":
    run(main)
