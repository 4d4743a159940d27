"""The shapes of our own methods on the wire, in pydantic models and domain types; no behaviour."""
