"""Who speaks to whom: quotations, their speakers, and the turns of a talk."""
