"""Claims of papers with computed verdicts, and checks of samplers against the law they should have."""
