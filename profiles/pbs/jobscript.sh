#!/bin/sh
# properties = {properties}
# The exit status goes to a file, as many servers forget jobs at their end.
( {exec_job} )
status=$?
cd "$PBS_O_WORKDIR" && mkdir -p .snakemake/pbs_status && echo $status > ".snakemake/pbs_status/$PBS_JOBID"
exit $status
