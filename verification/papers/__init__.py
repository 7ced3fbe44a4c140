"""One folder per paper, a file per section; every claim is one record, found by scanning."""
