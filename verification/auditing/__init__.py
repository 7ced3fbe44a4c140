"""The audit: what is wrong with entries themselves, beside whether their statements are true.

A check is a function of one judged entry, or of all of them; a file of ``checks`` each, found by
scanning. Its docstring says in a sentence what it asks, and beside it stands an entry that it must find.
"""

from verification.auditing.checking import Check, Defect, all_checks
from verification.auditing.entries import Judged
from verification.auditing.running import audit

__all__ = ["Check", "Defect", "Judged", "all_checks", "audit"]
