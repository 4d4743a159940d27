"""The back door: the same core in a terminal and in CI, and the demo."""
