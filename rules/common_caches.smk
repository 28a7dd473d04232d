"""Helpers of the rules that show what caches of source words hold."""

CACHE_PAGE = ROOT / "scoring" / "reports"
# The files that such a page is put together from.
CACHE_TEMPLATES = [
    CACHE_PAGE / name for name in ("caches.html", "caches.css", "templates/base.html", "templates/style.css")
]


def cache_files():
    """Table and page of every run whose system has a theme-rheme cache, for each test set."""
    return [
        f"{run_folder(corpus, experiment, seed)}/cache/{split}.{ending}"
        for corpus, experiment, seed in runs()
        if structure_kind(experiment) == "cache_words"
        for split in test_sets(corpus)
        for ending in ("tsv", "html")
    ]
