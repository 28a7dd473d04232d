"""Pages that show analysed documents: their drawings, their files, and a legend."""
