"""What a call makes of a text: pure functions from texts to texts. No files, no asks."""
