"""The cellar: journals and the index of tasks."""
