"""The project's own analysers as backends."""
