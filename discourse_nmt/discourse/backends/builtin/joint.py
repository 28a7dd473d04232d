"""The joint network, shared by the backends of one process; its terms of use are logged once."""

import logging
from functools import cache
from pathlib import Path

from discourse_nmt.discourse.analysers.analyser import Analyser
from discourse_nmt.discourse.analysers.weights import load_analyser, notice_of


@cache
def joint_network(folder: Path, units: bool = True) -> Analyser:
    """The joint network in ``folder``, with its discourse units only if they are used: they may have other terms."""
    notice = notice_of(folder, units)
    if notice:
        logging.warning("%s: %s", folder, notice)
    return load_analyser(folder, units)
