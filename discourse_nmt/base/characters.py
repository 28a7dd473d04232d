"""Characters that show nothing: white space, controls, and those that only shape or direct their neighbours.

Every part of the project asks here whether a line has text, so that a line of soft hyphens or direction marks is an
empty line everywhere.
"""

import regex

# Unicode's property Default_Ignorable_Code_Point, with annotation marks and the empty Braille pattern.
INVISIBLE = r"\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u2800"
VISIBLE = regex.compile(rf"[^\s\x1c-\x1f\p{{Cc}}\p{{Cs}}\p{{Cn}}{INVISIBLE}]")


def has_text(line: str) -> bool:
    """Whether any character of ``line`` can be seen."""
    return VISIBLE.search(line) is not None
