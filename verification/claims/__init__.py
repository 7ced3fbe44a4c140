"""Claim types: each knows how to prove, refute, measure and corrupt itself."""
