"""Parts of the sub-layers of encoder and decoder: dropout, matrix products, residuals, gate, feed-forward block."""
