"""Files of corpora that the workflow brings: their names, and their part of the plan of a run."""
