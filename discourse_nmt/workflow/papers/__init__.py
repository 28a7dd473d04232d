"""Tables of papers: the numbers that they print, and the files that measured ones come from."""
