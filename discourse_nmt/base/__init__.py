"""What every room stands on: errors, settings, sources, progress, arrays, languages, storage; imports no other."""
