"""The ground of every room: errors, settings, sources, progress, arrays, languages, storage; imports no other."""
