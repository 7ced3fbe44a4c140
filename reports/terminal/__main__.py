"""``python -m reports.terminal`` is the same as ``sgtheory``."""

from reports.terminal import main

main()
