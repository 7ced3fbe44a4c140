"""Files that outlive a run: the one writer, the one keeper of results, locks, records that travel."""
