"""The demo's words, read from the tables in ``resources/demo``."""

from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path

from discourse_nmt import ROOT
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import read_text
from discourse_nmt.demo.entities import Activity, Choice, Noun, Person

FOLDER = ROOT / "resources" / "demo"

WRITER = Person("I", "ich", "mich", female=False)


@dataclass(frozen=True)
class Connective:
    """Words at the beginning of a sentence; ``inverts`` if the German ones take the position before the finite verb."""

    use: str
    english: str
    german: str
    inverts: bool


@dataclass(frozen=True)
class DemoLexicon:
    """All words: ``things`` by gender, pairs of ``senses``, first names by sex, people to write to, and the rest."""

    things: dict[str, tuple[Choice, ...]]
    senses: tuple[tuple[Choice, Choice], ...]
    women: tuple[Person, ...]
    men: tuple[Person, ...]
    familiar: tuple[Choice, ...]
    polite: tuple[Choice, ...]
    activities: tuple[Choice, ...]
    connectives: dict[str, tuple[Connective, ...]]


def rows(name: str, folder: Path = FOLDER) -> list[tuple[int, dict[str, str]]]:
    """The rows of a tab-separated table with a header, each with its line number; raises InputError for a ragged
    row."""
    path = folder / name
    header, *lines = read_text(path).splitlines()
    columns = header.split("\t")
    table = []
    for number, line in enumerate(lines, start=2):
        fields = line.split("\t")
        if len(fields) != len(columns):
            remedy = f"give the columns {', '.join(columns)}"
            raise InputError(f"{len(fields)} columns instead of {len(columns)}", file=path, line=number, remedy=remedy)
        table.append((number, dict(zip(columns, fields))))
    return table


@cache
def load(folder: Path = FOLDER) -> DemoLexicon:
    """Read all word tables."""
    things: dict[str, list[Choice]] = {"m": [], "f": [], "n": []}
    for _, row in rows("things.tsv", folder):
        noun = Noun(row["english"], row["german"], row["gender"], row["german"])
        things[noun.gender].append(Choice(noun, noun, (noun.english_noun,)))
    people = [_person(row) for _, row in rows("people.tsv", folder)]
    names = [person for address, person in people if address == "familiar"]
    addressees = [(person.polite, Choice(person, person, (person.english_name,))) for _, person in people]
    connectives = [
        Connective(row["use"], row["english"], row["german"], row["order"] == "inverts")
        for _, row in rows("connectives.tsv", folder)
    ]
    return DemoLexicon(
        things={gender: tuple(choices) for gender, choices in things.items()},
        senses=_senses(folder),
        women=tuple(person for person in names if person.female),
        men=tuple(person for person in names if not person.female),
        familiar=tuple(choice for polite, choice in addressees if not polite),
        polite=tuple(choice for polite, choice in addressees if polite),
        activities=tuple(_activity(row) for _, row in rows("activities.tsv", folder)),
        connectives={use: tuple(group) for use, group in groupby(connectives, key=lambda entry: entry.use)},
    )


def _person(row: dict[str, str]) -> tuple[str, Person]:
    polite = row["address"] == "polite"
    female = row["sex"] == "female"
    return row["address"], Person(row["english"], row["german"], row["german_object"], female, polite)


def _activity(row: dict[str, str]) -> Choice:
    verb = Activity(row["english_past"], row["english_gerund"], row["german_past"], row["german_gerund"])
    return Choice(verb, verb, (verb.english_past, verb.english_gerund))


def _senses(folder: Path) -> tuple[tuple[Choice, Choice], ...]:
    """Pairs of senses; the two senses of a noun are in adjacent rows of the table."""
    choices: dict[str, list[Choice]] = {}
    for _, row in rows("senses.tsv", folder):
        sense = Noun(
            row["english"],
            row["german"],
            row["gender"],
            row["german_object"],
            row["clue_english"],
            row["clue_german"],
        )
        clue = Noun(
            row["clue_noun_english"],
            row["clue_noun_german"],
            row["clue_noun_gender"],
            row["clue_noun_german_object"],
        )
        choices.setdefault(sense.english_noun, []).append(Choice(sense, clue, (clue.english_noun,)))
    return tuple((first, second) for first, second in choices.values())
