"""Verdicts: records of what was found out, words for it, what it was made from, what changed since."""
