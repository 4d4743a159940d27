"""Settings: read at the border, frozen, replaced whole."""
