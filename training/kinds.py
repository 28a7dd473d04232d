"""Which module trains which kind of system, and which reads which kind of structure file.

Free of torch, so that the workflow can read it.
"""

# By the unit that a system reads at a time.
TASKS = {
    "sentence": "discourse_nmt.training.tasks.sentences",
    "instance": "discourse_nmt.training.tasks.instances",
    "paragraph": "discourse_nmt.training.tasks.paragraphs",
    "document": "discourse_nmt.training.tasks.documents",
}
# The module that gives a network a trained labeller of themes.
LABELLER = "discourse_nmt.training.labellers.theme_cache"
# Module and class by the kind of structure file.
STRUCTURES = {
    "dependencies": ("discourse_nmt.training.structures.dependencies", "Structure"),
    "positions": ("discourse_nmt.training.structures.positions", "Positions"),
    "paragraph_dependencies": ("discourse_nmt.training.structures.paragraph_dependencies", "ParagraphDependencies"),
    "words": ("discourse_nmt.training.structures.paragraph_dependencies", "Words"),
    "cache_words": ("discourse_nmt.training.structures.cache_words", "CacheWordFile"),
    "graph": ("discourse_nmt.training.structures.graphs", "SourceGraphs"),
    "graphs": ("discourse_nmt.training.structures.graphs", "SourceAndDraftGraphs"),
}
