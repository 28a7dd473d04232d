"""Templates of prompts and glossaries: their files, and the annotation that a template reads."""

from collections.abc import Sequence
from pathlib import Path

import jinja2
from jinja2 import nodes
from jinja2.sandbox import SandboxedEnvironment

from discourse_nmt import PACKAGE
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import read_text
from discourse_nmt.language_models.settings import LanguageModelSettings

TEMPLATES = PACKAGE / "language_models" / "templates"
BLOCKS = ("system", "user")
Terms = Sequence[tuple[str, str]]
OF_TREES = ("edus", "rst_dependencies")
# Tables of annotation that an attribute of a document, a kind of context, unit or order needs.
OF_ATTRIBUTES = {
    "units": ("edus",),
    "tree": ("edus", "rst"),
    "chains": ("coreference",),
    "themes": ("themes",),
    "tagged": OF_TREES,
}
OF_SETTINGS = {
    "graph_neighbours": ("document_graph",),
    "tree_neighbours": OF_TREES,
    "chunk": ("edus", "rst"),
    "tree": OF_TREES,
}


def parsed_template(name: str) -> tuple[Path, jinja2.Template, set[str]]:
    """The file of a template, the template, and the names of the attributes that it reads; faults are one line."""
    file, text = template_text(name)
    environment = SandboxedEnvironment(
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False
    )
    try:
        template = environment.from_string(text)
        parsed = environment.parse(text)
    except jinja2.TemplateSyntaxError as error:
        raise InputError(f"broken template ({error.message})", file=file, line=error.lineno) from None
    if missing := [block for block in BLOCKS if block not in template.blocks]:
        raise InputError(f"the template has no block {missing[0]}", file=file)
    return file, template, {name.attr for name in parsed.find_all(nodes.Getattr)}


def needed_tables(settings: LanguageModelSettings) -> list[str]:
    """The tables of annotation of the source that prompts need, each once."""
    context = settings.shuffled if settings.context == "shuffled_neighbours" else settings.context
    order = "" if settings.order == "text" else settings.order
    *_, read = parsed_template(settings.template)
    found = [
        *(table for name in (context, settings.unit, order) for table in OF_SETTINGS.get(name, ())),
        *(table for name, tables in OF_ATTRIBUTES.items() if name in read for table in tables),
    ]
    return list(dict.fromkeys(found))


def template_text(name: str) -> tuple[Path, str]:
    """The file and the text of a template that ships with the project, or of a user's."""
    shipped = TEMPLATES / f"{name}.jinja"
    if shipped.is_file():
        return shipped, read_text(shipped)
    path = Path(name)
    if not path.is_file():
        names = ", ".join(sorted(file.stem for file in TEMPLATES.glob("*.jinja")))
        raise InputError(f"no template {name}", remedy=f"name a file, or one of {names}")
    return path, read_text(path)


def read_glossary(path: str | None) -> Terms:
    """The pairs of a glossary; none without one. A line that is no pair is an :class:`InputError`."""
    if path is None:
        return ()
    pairs = []
    for line, text in enumerate(read_text(path).splitlines(), start=1):
        if text.strip():
            source, _, target = text.partition("\t")
            source, target = source.strip(), target.strip()
            if not (source and target):
                raise InputError("no pair of terms", file=path, line=line, remedy="write source, tab, target")
            pairs.append((source, target))
    return pairs
