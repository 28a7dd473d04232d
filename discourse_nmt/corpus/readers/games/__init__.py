"""Texts of games: what their scripts have characters say, with the translations in catalogues."""
