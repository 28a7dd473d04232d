"""Which module trains which kind of system; free of torch, so that the workflow can read it."""

# By the unit that a system reads at a time.
TASKS = {"sentence": "training.sentences", "instance": "training.instances"}
