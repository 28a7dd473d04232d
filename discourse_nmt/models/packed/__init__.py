"""Systems that read a whole instance in one pass, and their host."""
