"""Annotation from files of the user, or from a program of the user."""
