"""Bring the files of a corpus into its folder: from an installation, Debian packages, or by mtdata.

Files that are there stay as they are. Writes OUTPUT, a table of what is there: for each pattern the number of files,
their bytes and a digest; for each package its version. A machine that cannot get the files is told in one line which
ones to put where.
"""

from pathlib import Path

from discourse_nmt.base.settings import parse_settings
from discourse_nmt.base.storage.files import write_text
from discourse_nmt.corpus.data.fetching import bring, manifest
from discourse_nmt.corpus.data.settings import DataSettings
from discourse_nmt.workflow_scripts.command import JsonObject, arguments, run


def main() -> None:
    """Parse the arguments, bring the files, write the table."""
    parser = arguments(__doc__)
    parser.add_argument("--settings", action=JsonObject, required=True, help="section data of the corpus, as JSON")
    parser.add_argument("--patterns", nargs="+", required=True, help="files that the corpus is read from")
    parser.add_argument("--where", default="", help="advice for a machine that cannot get them")
    parser.add_argument("--output", required=True, type=Path, help="table to write (TSV)")
    options = parser.parse_args()
    data = parse_settings(DataSettings, options.settings, "data")
    bring(data, options.patterns, options.where)
    write_text(manifest(data, options.patterns).to_csv(sep="\t", index=False), options.output)


if __name__ == "__main__":
    run(main)
