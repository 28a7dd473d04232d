"""What comes back from the text stage: sentences that are tokenised, spelt as words, and read back.

Nothing is learnt for it. Subwords take no part where they are learnt from words, as they come back; the casing table of
a side takes no part either, as reading does without it. Of a SentencePiece model, its normalisation is not measured.
"""

from collections.abc import Callable, Sequence
from itertools import chain

from discourse_nmt.scoring.metrics.bleu import bleu
from discourse_nmt.text.pretrained import spaced
from discourse_nmt.text.settings import SideSettings
from discourse_nmt.text.spelling import spelling
from discourse_nmt.text.tokenisers import tokeniser


def there_and_back(settings: SideSettings) -> Callable[[str], str]:
    """The function that gives a sentence as the text stage with a side's settings gives it back."""
    tokenise = tokeniser(settings).tokenise
    if settings.subwords != "bpe":
        return lambda sentence: spaced(tokenise(sentence))[0]
    spelt = spelling(settings)
    return lambda sentence: spelt.read(list(chain.from_iterable(spelt.words(tokenise(sentence))))).line


def share_back(sentences: Sequence[str], back: Sequence[str], settings: SideSettings) -> float:
    """Percentage of the sentences that came back exactly; of a side in lower case, case does not count."""
    same = (_cased(one, settings) == _cased(other, settings) for one, other in zip(sentences, back, strict=True))
    return 100 * sum(same) / len(sentences)


def perfect_bleu(references: Sequence[str], back: Sequence[str], settings: SideSettings) -> float:
    """s-BLEU of a system whose every word is right: what the text stage makes of the references against themselves."""
    measure = bleu("s-BLEU", settings.language, settings.lowercase)
    return measure.score(list(back), list(references)).value


def remedy(settings: SideSettings) -> str:
    """How more sentences of the target side come back."""
    if settings.subwords == "bpe" and settings.spacing == "rules":
        return "text: {spacing: marks} lets every sentence come back"
    if settings.normalise:
        return "text: {normalise: {source: true, target: false}} leaves the characters of translations as they are"
    return "write one space between words, and no control characters"


def _cased(sentence: str, settings: SideSettings) -> str:
    return sentence.lower() if settings.lowercase else sentence
