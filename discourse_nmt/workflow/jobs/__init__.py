"""Jobs as Snakemake asks for them: names of their files, parameters, functions of wildcards."""
