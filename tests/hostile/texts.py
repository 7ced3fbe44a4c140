"""Texts with statements, Markdown or LaTeX, in which something is wrong."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import click

from tests.hostile.formulas import formula
from tests.hostile.trial import TARGET, Case

_MARKDOWN = """\
# Constant steps

| letter | kind | what it is |
| --- | --- | --- |
| h | positive | step size |
| A | symmetric positive definite matrix | curvature |
| C | symmetric positive definite matrix | gradient noise covariance |
| S | whole number | minibatch size |
| m | in (0, 2] | |
| f | function | |

m < 2

Sampler: SGD, in discrete time.

**Claim 1** (Eq. 3). $A \\Sigma + \\Sigma A = \\frac{h}{S} C$ to first order in $h$.

**Claim 2** (section 2). The chain is stable if and only if h < 2/lambda_max(A).

```sampler ball
v' = (1 - m) v - h g(theta)
theta' = theta + v'
```

**Claim 3**. In continuous time, E[theta v^T] + E[v theta^T] = 0.

Sampler: none

**Claim 4** (appendix). If $hm < 1$, then $\\sum_{k=0}^{n-1} (1 - hm)^k = \\frac{1 - (1 - hm)^n}{hm}$.

**Claim 5**. e^{-h m} = 1 - h m + O(h^2) as h -> 0, and 1 - h m <= e^{-h m}.
"""
_LATEX = """\
\\begin{tabular}{lll}
letter & kind & what it is \\\\ \\hline
$h$ & positive & step size \\\\
$A$ & symmetric positive definite matrix & curvature \\\\
\\end{tabular}

Sampler: sgd, in discrete time.

\\begin{claim}[Eq. 3]\\label{one}
The chain is stable if and only if $h < 2/\\lambda_{\\max}(A)$.
\\end{claim}

\\begin{sampler}[mine]
\\theta' = \\theta - h g(\\theta)
\\end{sampler}

\\begin{theorem}
$\\Sigma$ commutes with $A$. % a remark
\\end{theorem}
"""
_WORDS = (
    "(", ")", "[", "]", "{", "}", "^", "_", "'", "''", "$", "$$", "|", "||", "&", "\\\\", "%", "**",
    "```",
    "~~~", ":", ";", ".", "=", "<", "<=", "~", "->", "\\to", "\\frac", "\\frac{1}", "\\sum", "\\int",
    "\\left(", "\\right)", "\\begin{claim}", "\\end{claim}", "\\begin{sampler}", "\\end{sampler}",
    "\\input{/etc/passwd}", "\\write18{touch touched}", "\\text{if}", "if", "and", "for all", "given",
    "as h -> 0", "as n -> oo", "E[", "Cov(", "KL(", "W_2(", "O(h)", "O(", "d/dh", "argmin_h",
    "lim_{h -> 0}",
    "does not depend on", "commutes with", "minimises", "is stable", "the chain", "SGD", "sgld", "xyz",
    "Sampler: ", "Sampler: none", "in discrete time", "in the limit", "Assume", "h < 0", "theta", "v'",
    "g(theta)",
    "g(g(theta))", "xi", "N(0, I)", "exp", "sqrt", "tr", "lambda_max(A)", "A^{-1}", "A^T", "Sigma",
    "n", "k",
    "0", "1/0", "1e999", "9" * 400, "1/2h", "0^0", "\x00", "\x1b[31m", "\u202e", "é", "∑", "σ",
    "\ud800"[:0],
    "**Claim 1**", "**Claim 9** (", "**Theorem**", "| h | positive |", "| q | bizarre |",
    "| q | in [1, 0] |",
    "| q | in [0, 1/0] |", "| theta | function | step size |", "|", "(" * 60, "^{a" * 40, "x" * 3000,
    "__import__('os').system('touch touched')", f"$(touch {TARGET})", "lambda: 0", "h = h", "h h h",
)  # fmt: skip


def text(draw: Random) -> Case:
    """A text as ``verify`` reads it, every statement for itself; nothing is judged."""
    tex = draw.random() < 0.3
    whole = _LATEX if tex else _MARKDOWN
    for _ in range(draw.choice((1, 1, 2, 3, 5))):
        whole = _changed(draw, whole)
    content = whole.encode(draw.choice(("utf-8",) * 9 + ("utf-16", "latin-1")), "replace")
    name = "notes.tex" if tex else "notes.md"
    return Case("text", ("verify",), {name: content}, lambda folder: _read(folder / name))


def _changed(draw: Random, whole: str) -> str:
    """Something inserted, cut, doubled, or put for one of the formulas."""
    kind, at = draw.random(), draw.randrange(len(whole) + 1)
    if kind < 0.35:
        return f"{whole[:at]} {draw.choice(_WORDS)} {whole[at:]}"
    if kind < 0.5:
        return whole[:at] + whole[at + draw.choice((1, 2, 5, 20, 90)) :]
    if kind < 0.6:
        end = at + draw.choice((5, 30, 90))
        return whole[:end] + whole[at:]
    if kind < 0.75:
        pieces = " ".join(draw.choice(_WORDS) for _ in range(draw.randrange(1, 12)))
        return f"{whole}\n\n**Claim 6{at}.** {pieces}\n"
    if kind < 0.85:
        return f"{whole}\n\n**Claim 7{at}.** {formula(draw)[:400]} = h\n"
    lines = whole.splitlines(True)
    draw.shuffle(lines) if kind < 0.88 else lines.insert(draw.randrange(len(lines)), draw.choice(lines))
    return "".join(lines)


def _read(path: Path) -> Any:
    """What is refused is a line each; what is read can be said back."""
    from reports.terminal.understood import readings, understood
    from sgtheory.errors import UnusableInput
    from verification.library import gather

    found = gather((str(path),))
    for error in found.errors:
        assert len(str(error)) < 400, f"a line of {len(str(error))} characters"
        assert str(error).isprintable(), "a line with signs that control a terminal"
    told = [*readings(found.claims), *(line for claim in found.claims for line in understood(claim))]
    shown = click.unstyle("\n".join(told)).split("\n")
    assert all(line.isprintable() for line in shown), "what is said back controls a terminal"
    if found.errors:
        raise UnusableInput("a text of which all is understood", "another", str(found.errors[0]))
