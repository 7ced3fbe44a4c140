"""Foreign samplers are what tests read, not tests; some import libraries that may be absent."""

collect_ignore_glob = ["*_bank.py", "foreign.py", "programs/*"]
