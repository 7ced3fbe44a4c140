"""Regrets of online algorithms on losses that come in turn."""

from verification.theories.regret.turns import subject
from verification.theories.regret.words import OnlineStep, Regret, regret

__all__ = ["OnlineStep", "Regret", "regret", "subject"]
