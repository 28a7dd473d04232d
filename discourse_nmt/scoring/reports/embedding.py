"""Data within a page in a form that cannot end its element or run as a script.

Small data is JSON; a block of documents is deflated JSON in base64, which the page unpacks to show one of them.
"""

import base64
import hashlib
import json
import zlib

from markupsafe import Markup

# JSON allows these escapes within strings, and the characters occur within strings only.
ESCAPES = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"})


def json_data(value: object) -> Markup:
    """``value`` as JSON that may stand in a ``<script type="application/json">``."""
    return Markup(json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).translate(ESCAPES))


def packed(value: object) -> str:
    """``value`` as JSON in UTF-8, deflated (RFC 1950), in base64: letters, digits, ``+``, ``/`` and ``=`` only."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode("ascii")


def script_source(script: str) -> str:
    """The source expression of a Content-Security-Policy that allows this inline script only."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode('ascii')}'"
