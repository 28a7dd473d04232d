"""The drawings of a document: the part of a file's ending that names each, and its title."""

TITLES = {
    "rst": "RST tree",
    "dependencies": "Discourse dependencies",
    "coreference": "Coreference chains",
    "themes": "Themes and rhemes",
}
