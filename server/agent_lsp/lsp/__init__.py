"""The front door: the only room that knows pygls and lsprotocol."""
