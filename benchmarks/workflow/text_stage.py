"""Throughput of the text stage against a plain loop that calls sacremoses and subword-nmt directly.

Three contenders tokenise, truecase and segment the same sentence pairs, in turn within one process: the loop; the stage
by Moses' rules, with the same models; and the stage by marks on words, with a normalised source. The stage also finds
character offsets, numbers the subwords, and writes both tables; the loop does not. Prints sentences per CPU-second, and
medians over the rounds: time of the loop / time by rules, and time by rules / time by marks.

    python -m benchmarks.workflow.text_stage --source en.txt --target de.txt
"""

import io
import tempfile
from pathlib import Path

import pandas as pd
from sacremoses import MosesTokenizer, MosesTruecaser
from subword_nmt.apply_bpe import BPE

from benchmarks.rounds import alternate
from discourse_nmt.base.storage.files import read_text
from discourse_nmt.base.storage.tables import read_table, write_table
from discourse_nmt.text.learning import learn_segmentations
from discourse_nmt.text.settings import BEFORE_MARKS, SIDES, Side, TextSettings
from discourse_nmt.text.spelling import Spelling, spelling
from discourse_nmt.text.stages import apply_subwords, count_words, sentences_of, tokenise
from discourse_nmt.text.subwords import HEADER, Encoder, Segmentation
from discourse_nmt.text.truecasing import Casing, learn_casing
from discourse_nmt.workflow_scripts.command import arguments, run


def read_sentences(paths: dict[Side, str], limit: int) -> pd.DataFrame:
    """The first ``limit`` line pairs that are not empty or a document mark, as a sentences table."""
    lines = [read_text(paths[side]).splitlines() for side in SIDES]
    pairs = [pair for pair in zip(*lines) if all(pair) and pair[0].strip() != "<d>"][:limit]
    frame = pd.DataFrame(pairs, columns=list(SIDES))
    return frame.assign(doc_id="benchmark", sent_id=range(len(frame)))


def direct(
    sentences: pd.DataFrame,
    settings: TextSettings,
    casing: dict[Side, Casing],
    models: dict[Side, Segmentation],
) -> None:
    """The loop of the libraries' documentation, with new library objects as in a new job."""
    for side in SIDES:
        tokenizer = MosesTokenizer(settings.of(side).language)
        truecaser = MosesTruecaser()
        truecaser.model = {
            "best": {word: next(iter(forms)) for word, forms in casing[side].items()},
            "known": {form for forms in casing[side].values() for form in list(forms)[1:]},
        }
        bpe = BPE(io.StringIO("\n".join((HEADER, *(models[side].codes or ())))))
        for raw in sentences[side].tolist():
            tokens = tokenizer.tokenize(raw, escape=False)
            bpe.segment_tokens(truecaser.truecase(" ".join(tokens), use_known=True))


class Stage:
    """The text stage with its models, as jobs run it."""

    def __init__(self, sentences: pd.DataFrame, settings: TextSettings) -> None:
        tokens = tokenise(sentences, settings)
        self._settings = settings
        self.casing = {side: learn_casing(sentences_of([tokens], side), settings.of(side)) for side in SIDES}
        counts = count_words([tokens], self._spellings())
        self.learnt = learn_segmentations(counts, settings)

    def _spellings(self) -> dict[Side, Spelling]:
        return {side: spelling(self._settings.of(side), self.casing[side]) for side in SIDES}

    def run(self, sentences: pd.DataFrame, folder: Path) -> None:
        """Write both tables of ``sentences``."""
        write_table(tokenise(sentences, self._settings), folder / "tokens.parquet", "tokens")
        encoders = {side: Encoder(*self.learnt[side], found) for side, found in self._spellings().items()}
        subwords = apply_subwords(read_table(folder / "tokens.parquet", "tokens"), encoders)
        write_table(subwords, folder / "subwords.parquet", "subwords")


def main() -> None:
    parser = arguments(__doc__)
    for side, language in zip(SIDES, ("en", "de")):
        parser.add_argument(f"--{side}", required=True, metavar="FILE", help=f"{side} text, one sentence a line")
        parser.add_argument(f"--{side}-language", default=language, help="language code")
    parser.add_argument("--sentences", type=int, default=9000, help="most sentence pairs taken")
    parser.add_argument("--merges", type=int, default=8000, help="joint BPE merges")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of each")
    options = parser.parse_args()

    common = {"source_language": options.source_language, "target_language": options.target_language}
    common |= {"bpe": {"merges": options.merges}}
    by_rules = TextSettings.from_mapping({**common, **BEFORE_MARKS})
    by_marks = TextSettings.from_mapping(common)
    sentences = read_sentences({"source": options.source, "target": options.target}, options.sentences)
    rules, marks = (Stage(sentences, settings) for settings in (by_rules, by_marks))
    models = {side: rules.learnt[side][0] for side in SIDES}
    with tempfile.TemporaryDirectory() as folder:
        rounds = alternate(
            {
                "direct": lambda pairs: direct(pairs, by_rules, rules.casing, models),
                "rules": lambda pairs: rules.run(pairs, Path(folder)),
                "marks": lambda pairs: marks.run(pairs, Path(folder)),
            },
            [sentences] * options.rounds,
            warm_up=sentences[:100],
        )
    for name, seconds in rounds.seconds.items():
        rates = ", ".join(f"{len(SIDES) * len(sentences) / spent:.0f}" for spent in seconds)
        print(f"{name}: {rates} sentences per CPU-second")
    print(f"rules: {rounds.ratio('rules', 'direct'):.2f} of the speed of the loop")
    print(f"marks: {rounds.ratio('marks', 'rules'):.2f} of the speed of rules")
    print(rounds.conditions)


if __name__ == "__main__":
    run(main)
