"""The back door: a terminal or a script in, rows of text or JSON out."""
