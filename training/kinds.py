"""Which module trains which kind of system, and which reads which kind of structure file.

Free of torch, so that the workflow can read it.
"""

# By the unit that a system reads at a time.
TASKS = {
    "sentence": "training.sentences",
    "instance": "training.instances",
    "paragraph": "training.paragraphs",
    "document": "training.documents",
}
# The module that gives a network a trained labeller of themes.
LABELLER = "training.cache_labeller"
# Module and class by the kind of structure file.
STRUCTURES = {
    "dependencies": ("training.structure", "Structure"),
    "positions": ("training.positions", "Positions"),
    "paragraph_dependencies": ("training.paragraph_dependencies", "ParagraphDependencies"),
    "words": ("training.paragraph_dependencies", "Words"),
    "cache_words": ("training.cache_words", "CacheWordFile"),
    "graph": ("training.graph_files", "SourceGraphs"),
    "graphs": ("training.graph_files", "SourceAndDraftGraphs"),
}
