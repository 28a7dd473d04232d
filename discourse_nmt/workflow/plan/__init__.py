"""Which files a run makes, and which job reads which: the input and params functions of the rules."""
