"""What every room stands on: errors, settings, progress, arrays, languages, programs, storage; imports no other."""
