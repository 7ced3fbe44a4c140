"""Statements of a Markdown or LaTeX text, as claims: found, read, shown back; nothing of it is executed.

``read(path)`` finds statements, letters and samplers (``marks``), makes tokens of both spellings
(``tokens``), a tree by the grammar (``statements.lark``), terms (``formulas``) and what is said of them
(``sentences``). What is not understood is one line each and stops nothing else.
"""

from verification.texts.text import Read, Text, read

__all__ = ["Read", "Text", "read"]
