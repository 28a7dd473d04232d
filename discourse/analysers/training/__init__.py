"""Training of the segmenter and of the joint network."""
