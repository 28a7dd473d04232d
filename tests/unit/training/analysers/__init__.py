"""Tests of the training of analysers."""
