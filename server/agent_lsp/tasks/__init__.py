"""The hall: all that changes about a task, with one writer per task."""
