"""The parser of rhetorical structure: trees with nuclearity and relations over elementary discourse units."""
