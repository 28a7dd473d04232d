"""The patterns of the files that sections name."""

from collections.abc import Mapping

from discourse_nmt.base.settings import Given
from discourse_nmt.corpus.importing.plan import SplitSettings
from discourse_nmt.corpus.suites.plan import ROLES as SUITE_ROLES
from discourse_nmt.workflow.configuration.corpora import SuiteSection
from discourse_nmt.workflow.configuration.parsers import ParserSection, TeacherSettings

MODEL_FILES = ("config.json", "model.safetensors", "tokenizer.json")  # of a pretrained model
ROLES = dict.fromkeys(
    ("source", "target", "documents", "files", "corpora", *SUITE_ROLES)
).keys()  # keys that name files

WithFiles = Given[SplitSettings] | SuiteSection


def roles_of(section: WithFiles) -> dict[str, list[str]]:
    """The patterns of each role of a split or suite that has any."""
    roles = section.roles if isinstance(section, SuiteSection) else section.parsed("splits").roles()
    return {role: roles[role] for role in ROLES if role in roles}


def patterns_of(sections: Mapping[str, WithFiles]) -> list[str]:
    """The patterns of the files of splits or suites."""
    return [pattern for section in sections.values() for patterns in roles_of(section).values() for pattern in patterns]


def treebank_patterns(language: ParserSection) -> list[str]:
    """The patterns of the files of a language's treebanks, its file of vectors, and what its teachers read."""
    vectors = [language.vectors.file] if language.vectors else []
    teachers = teacher_patterns(language.teachers) if language.teachers else []
    treebanks = language.treebanks.values()
    layers = [(treebank.conllu, treebank.kept, treebank.rst, treebank.coreference) for treebank in treebanks]
    return [*vectors, *teachers, *(pattern for treebank in layers for layer in treebank for pattern in layer)]


def teacher_patterns(teachers: TeacherSettings) -> list[str]:
    """The patterns of the files that teachers read: texts, and the files of a pretrained model."""
    model = [f"{teachers.pretrained}/{name}" for name in MODEL_FILES] if teachers.pretrained else []
    return [*teachers.texts, *model]


def sentences_pattern(run: str, corpus: str, split: str) -> str:
    """The pattern of the tables of sentences of a split, which other corpora and suites read."""
    return f"results/{run}/{corpus}/corpus/{split}/*.parquet"
