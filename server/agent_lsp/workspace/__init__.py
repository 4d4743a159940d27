"""The garden: documents, files, changes, search and commands."""
