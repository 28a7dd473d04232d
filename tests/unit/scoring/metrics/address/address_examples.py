"""Rows of a table sentences with speakers and scenes."""

import pandas as pd

Line = tuple[str, str, str | None, int | None]
YOU = {"du": "Du kommst.", "ihr": "Ihr kommt.", "-": "Man kommt.", "+": "Du und euer Freund."}
"""A translation of *You come.* by its form; none or several."""


def table(*documents: list[Line]) -> pd.DataFrame:
    """Sentences *You come.*: of each number, form of the translation, speaker and scene."""
    rows = [
        (f"d{number}", place, f"You come, {text}.", YOU[form], speaker, scene)
        for number, document in enumerate(documents)
        for place, (text, form, speaker, scene) in enumerate(document)
    ]
    frame = pd.DataFrame(rows, columns=["doc_id", "sent_id", "source", "target", "speaker", "scene"])
    return frame.astype({"scene": "Int32"})
