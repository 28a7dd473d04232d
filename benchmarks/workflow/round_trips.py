"""What comes back from tokens, by Moses' rules and by marks: exact lines, and the s-BLEU of a perfect system.

Each file is read as lines of text of its language, without white space at their ends. Prints one row of a table in
Markdown for each: lines, then for rules and for marks the share of lines that come back exactly and the BLEU of what
comes back against the lines.

    python -m benchmarks.workflow.round_trips en=source.en.gz de=ref.A.de.gz
"""

from pathlib import Path

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.sources import Source
from discourse_nmt.quality.round_trip import perfect_bleu, share_back, there_and_back
from discourse_nmt.text.settings import SideSettings, SpacingName
from discourse_nmt.workflow_scripts.command import arguments, run

SPACINGS: tuple[SpacingName, ...] = ("rules", "marks")
HEAD = """| file | language | lines | rules: exact | s-BLEU | marks: exact | s-BLEU |
| --- | --- | ---: | ---: | ---: | ---: | ---: |"""


def row(language: str, path: str) -> str:
    """The row of a file."""
    lines = [stripped for line in Source(path, None, Path(path)).lines() if (stripped := line.strip())]
    cells = [Path(path).name, language, f"{len(lines):,}"]
    for spacing in SPACINGS:
        settings = SideSettings(language, spacing=spacing)
        back = list(map(there_and_back(settings), lines))
        cells += [f"{share_back(lines, back, settings):.2f} %", f"{perfect_bleu(lines, back, settings):.2f}"]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("files", nargs="+", metavar="LANGUAGE=FILE", help="text, one sentence or paragraph a line")
    options = parser.parse_args()

    print(HEAD)
    for item in options.files:
        language, sign, path = item.partition("=")
        if not sign:
            raise InputError(f"{item} names no language", remedy="write it before the file: en=FILE")
        print(row(language, path), flush=True)


if __name__ == "__main__":
    run(main)
