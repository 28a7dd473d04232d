"""Words of Chinese text by the shipped segmenter, for the text stage: those of the analyses and of their treebanks."""

from functools import cache

from discourse_nmt.discourse.analysers.segmentation import Segmenter
from discourse_nmt.discourse.analysers.weights import load_segmenter
from discourse_nmt.discourse.backends.builtin.models import SHIPPED
from discourse_nmt.text.writing_systems import is_spaced


@cache
def segmenter() -> Segmenter:
    """The segmenter, read once."""
    return load_segmenter(SHIPPED / "zh")


def words(text: str) -> list[str]:
    """Words of a sentence, which is computed alone, so that they depend on no other sentence.

    A word of letters or digits of a script with spaces stays whole, as its parts would come back with a space.
    """
    found: list[str] = []
    end_before = -1
    for start, end in segmenter().tokenise([text])[0]:
        if start == end_before and is_spaced(found[-1][-1]) and is_spaced(text[start]):
            found[-1] += text[start:end]
        else:
            found.append(text[start:end])
        end_before = end
    return found
