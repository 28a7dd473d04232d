"""Commands that train and evaluate the analysers."""
