"""The telephone: models, spoken to over HTTP or from a recording."""
