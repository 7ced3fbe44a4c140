"""Where the types for Hypothesis were, which installations before 0.2 announce under this name."""

from sgtheory.hypothesis_types import register

__all__ = ["register"]
