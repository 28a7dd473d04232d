"""Words of Chinese text, which has no spaces between them."""
