"""Commands that train and translate."""
