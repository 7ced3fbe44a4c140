"""Pages: from laws and verdicts to documents. Nothing here computes; it only arranges."""
