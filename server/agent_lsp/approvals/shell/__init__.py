"""What bash would run, read from the text of a command; pure. Which parts may run is decided in `command_rules.py`."""
