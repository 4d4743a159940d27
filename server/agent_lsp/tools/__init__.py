"""The workshop: one tool per file."""
