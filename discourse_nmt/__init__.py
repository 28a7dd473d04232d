"""The one import name of the project: ``discourse_nmt.models``, ``discourse_nmt.corpus`` and the other rooms.

In a checkout the rooms lie beside this folder, once installed inside it. ``ROOT`` is the folder that holds them.
"""

from pathlib import Path

__version__ = "0.2.0"

_HERE = Path(__file__).resolve().parent
ROOT = _HERE if (_HERE / "corpus").is_dir() else _HERE.parent
if ROOT != _HERE:
    __path__.append(str(ROOT))
