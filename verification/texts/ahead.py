"""What is looked for in a statement ahead of reading it: its running letters, samplers that it names."""

from __future__ import annotations

import re

from verification.texts.letters import canonical
from verification.texts.spelling import BOUND, EIGENVALUES, INTEGRATED


def bound(body: str) -> frozenset[tuple[str, str]]:
    r"""The letters that sums and integrals run over, with what they are.

    >>> sorted(bound(r"\sum_{k=0}^n k + int_0^T e^{-h t} dt"))
    [('k', 'index'), ('t', 'variable')]
    """
    sums = {(canonical(found[1]), "index") for found in BOUND.finditer(body)}
    return frozenset(sums | {(canonical(found[1]), "variable") for found in INTEGRATED.finditer(body)})


def eigenvalues(body: str) -> tuple[tuple[str, ...], str]:
    r"""The letters that a statement has for all eigenvalues of a matrix, and that matrix.

    >>> eigenvalues(r"$a + b \ne 0$ for all eigenvalues $a, b$ of $A$")
    (('a', 'b'), 'A')
    """
    found = EIGENVALUES.search(body)
    if found is None:
        return (), ""
    return tuple(canonical(name) for name in found.groups()[:2] if name), found[3]


def named(body: str, samplers: tuple[str, ...]) -> list[str]:
    r"""The samplers that the words of a statement name, outside of formulas and brackets.

    >>> named(r"For SGD, $\mu$ and W_2(lmc, p) are free", ("sgd", "lmc"))
    ['sgd']
    """
    prose = re.sub(r"\$[^$]*\$|\([^()]*\)", " ", body)
    words = (w.lower().replace("-", "") for w in re.findall(r"[A-Za-z][A-Za-z-]*", prose))
    return [s for w in words for s in samplers if s.replace("_", "") == w]
