"""The foundation: frozen types of all the rooms; imports nothing of ours."""
