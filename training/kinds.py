"""Which module trains which kind of system, and which reads which kind of structure file.

Free of torch, so that the workflow can read it.
"""

# By the unit that a system reads at a time.
TASKS = {
    "sentence": "training.sentences",
    "instance": "training.instances",
    "paragraph": "training.paragraphs",
}
# Module and class by the kind of structure file.
STRUCTURES = {
    "dependencies": ("training.structure", "Structure"),
    "positions": ("training.positions", "Positions"),
    "paragraph_dependencies": ("training.paragraph_dependencies", "ParagraphDependencies"),
    "words": ("training.paragraph_dependencies", "Words"),
    "graph": ("training.graph_files", "SourceGraphs"),
    "graphs": ("training.graph_files", "SourceAndDraftGraphs"),
}
