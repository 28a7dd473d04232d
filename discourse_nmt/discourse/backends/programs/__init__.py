"""Programs for the backend command that run parsers which users install; Python of any environment can start them."""
