"""The front door: language server clients in, messages, asks and edits out; the only room that knows pygls."""
