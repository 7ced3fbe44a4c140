"""Proofs in symbols, each with a certificate that an independent evaluator re-checks."""
