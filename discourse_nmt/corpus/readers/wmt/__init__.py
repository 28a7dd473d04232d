"""Readers of the test sets of the Conference on Machine Translation (WMT), one for each of its forms."""
