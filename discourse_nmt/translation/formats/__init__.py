"""Files with markup: their blocks of text are translated, everything else comes out as it went in."""
