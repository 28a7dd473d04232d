"""Helpers of the analysis of documents, which the report shows: their files and their folder."""

ENGLISH = ROOT / "resources" / "analysers" / "en"


def document_files():
    """The files of the key documents; a pattern is looked up from the working directory, then from the checkout.

    A pattern without a file, and two files of one name, are errors before any job starts.
    """
    found = {}
    for pattern in config["documents"]:
        paths = sources.files(pattern) or sources.files(str(ROOT / pattern))
        if not paths:
            raise WorkflowError(f"documents: no file {pattern}; correct the path, or set documents: [] for none")
        for path in paths:
            if set("{}") & set(str(path)):
                raise WorkflowError(f"documents: Snakemake cannot read {path}; rename it, braces name wildcards")
            if found.setdefault(path.stem, str(path)) != str(path):
                raise WorkflowError(f"documents: {found[path.stem]} and {path} have one name; rename one")
    return found


DOCUMENTS = document_files()
# The folder of their analysis, which the report shows; empty where there are none.
DOCUMENT_FOLDER = [f"{RESULTS}/documents"] if DOCUMENTS else []


def document_sources():
    """Every file that the analysis of documents depends on: the texts, the weights, the templates of its pages."""
    weights = [
        ENGLISH / f"{name}.{ending}"
        for name in ("segmenter", "joint", "rst", "coreference")
        for ending in ("json", "safetensors")
    ]
    templates = [ROOT / "discourse" / "drawings" / name for name in ("section.html", "index.html")]
    return [*map(Path, DOCUMENTS.values()), *(path for path in weights if path.is_file()), *templates]
