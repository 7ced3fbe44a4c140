"""What follows where a statement does not hold as it stands: of which kind that is, and how large."""
