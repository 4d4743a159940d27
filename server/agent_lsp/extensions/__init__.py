"""What users and projects add to the agent: modes and commands, read from files."""
