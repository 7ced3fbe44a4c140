"""First hours: what a stranger types after reading README.md and the guide, and what must come out."""
