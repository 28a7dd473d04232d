"""Files in Markdown: their blocks, inline marks, links by label, and how translations are written."""
