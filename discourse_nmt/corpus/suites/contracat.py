"""ContraCAT templates (Stojanovski et al. 2020): groups of three lines, with a masculine, feminine and neuter pronoun.

The files are line-aligned: ``en.txt``, ``de.txt`` (``context <SEP> sentence``) and ``genders.txt``, with the right
gender on each line. A phenomenon has the name of its folder, relative to the folder that all files have in common.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import setting
from discourse_nmt.base.sources import Source
from discourse_nmt.corpus.reading.requests import Request, aligned_lines
from discourse_nmt.corpus.suites.items import Item
from discourse_nmt.corpus.suites.segments import contrasted

ROLES = ("source", "target", "genders")


@dataclass(frozen=True)
class Options:
    """The notation of lines and groups."""

    separator: str = setting("<SEP>", "separator of context and sentence")
    genders: list[str] = setting(["m", "f", "n"], "genders of the lines of a group, in their order")


def read(request: Request, options: Options) -> Iterator[Item]:
    """The groups of each template, in file order."""
    templates = request.aligned_files(*ROLES)
    names = phenomena([source for source, _, _ in templates])
    for name, files in zip(names, templates):
        lines = list(aligned_lines(files))
        size = len(options.genders)
        for start in range(0, len(lines), size):
            numbers = [number for number, _ in lines[start : start + size]]
            genders = [texts[2].strip() for _, texts in lines[start : start + size]]
            for number, gender in zip(numbers, genders):
                if gender != genders[0] or gender not in options.genders:
                    fault = "another gender than its group" if gender in options.genders else "not one of the genders"
                    raise InputError(
                        f"{gender!r} is {fault} ({', '.join(options.genders)})",
                        file=files[2].name,
                        line=number,
                        remedy="templates of priors have no right answer: leave them out",
                    )
            if len(numbers) < size:
                raise InputError(
                    f"the last group has {len(numbers)} of {size} lines", file=files[0].name, line=numbers[0]
                )
            chosen = options.genders.index(genders[0])
            group = [(number, texts[0], texts[1]) for number, texts in lines[start : start + size]]
            group.insert(0, group.pop(chosen))
            right, wrong = contrasted(files[:2], group, options.separator)
            yield Item(right, name, wrong=wrong)


def phenomena(files: list[Source]) -> list[str]:
    """A name for each file: its folders below those that all files share; for a single file its last folder."""
    folders = [PurePosixPath(file.name.replace("::", "/")).parent.parts for file in files]
    common = 0
    while all(len(parts) > common + 1 and parts[common] == folders[0][common] for parts in folders):
        common += 1
    return ["/".join(parts[common:]) or file.stem for parts, file in zip(folders, files)]
