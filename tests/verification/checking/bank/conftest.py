"""Nothing here is a test, and some files need libraries that may be absent."""

collect_ignore_glob = ["*.py"]
