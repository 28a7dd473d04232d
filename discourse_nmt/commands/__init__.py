"""One module for each subcommand.

A module ``NAME.py`` (``evaluate_analysers.py`` for ``evaluate-analysers``) has ``SUMMARY``, one line; ``EXAMPLES``,
shown below its help; ``add_arguments(parser)``; and ``run(arguments)``, which returns the exit status. Help is shown
without torch, pandas or Snakemake: they are imported in ``run``.
"""
