"""Document-level machine translation with discourse structure.

``PACKAGE`` is this folder. ``ROOT`` is the folder of the Snakefile, of config.yaml and of resources/: the checkout, or
in an installation the package itself, to which its build copies them.
"""

from pathlib import Path

__version__ = "0.2.0"

PACKAGE = Path(__file__).resolve().parent
ROOT = PACKAGE if (PACKAGE / "Snakefile").is_file() else PACKAGE.parent
