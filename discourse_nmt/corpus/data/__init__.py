"""The stage that brings the files of a corpus: Debian packages, URLs, mtdata, installations."""
