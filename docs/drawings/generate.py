"""Writes the pictures of docs/architecture.md and of docs/study.md: ``make schema``."""

from discourse_nmt import ROOT
from docs.drawings.floors import floors_picture
from docs.drawings.study import study_picture
from docs.drawings.way import way_picture


def generated() -> dict[str, str]:
    """The content of every picture, by its path in the checkout."""
    return {
        "docs/images/architecture/floors.svg": floors_picture(),
        "docs/images/architecture/way.svg": way_picture(),
        "docs/images/study.svg": study_picture(),
    }


def main() -> None:
    """Write all of them."""
    for path, content in generated().items():
        (ROOT / path).write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
