#!/bin/sh
# properties = {properties}
# The exit status goes to a file, as the server forgets jobs at their end.
( {exec_job} )
status=$?
cd "$SGE_O_WORKDIR" && mkdir -p .snakemake/sge_status && echo $status > ".snakemake/sge_status/$JOB_ID"
exit $status
