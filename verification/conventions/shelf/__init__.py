"""A file to a library; each is found by scanning."""
