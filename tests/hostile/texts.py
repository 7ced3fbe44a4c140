"""Texts with statements, Markdown or LaTeX, in which something is wrong."""

from __future__ import annotations

from functools import cache
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

# What may stand in a table, or in a block: letters that have a meaning, laws without numbers, schedules.
_NAMES = (
    "A", "C", "S", "N", "D", "I", "Sigma", "theta", "E", "e", "pi", "if", "tr", "argmin", "x",
    "h, h", "lambda_max", "", "1", "O", "KL", "g", "a b",
)  # fmt: skip
_ROWS = (
    "positive", "whole number", "in (0, 0)", "in [1e999, 2]", "positive definite matrix",
    "function", "density exp(-U(x)/T)", "noises", "sequence", "column of each", "nonnegative",
    "at least -1/0",
)  # fmt: skip
_UPDATES = (
    "theta' = theta'", "theta' = theta''", "v' = v + theta", "theta_{t+1} = theta_t - h g(theta')",
    "if t % 2 = 0", "h_t = h/t", "theta' = theta - h/t g(theta)", "xi ~ Student(0)",
    "xi ~ uniform(1, 0)", "xi ~ Bernoulli(2)", "c ~ (0, -1)",
    "xi has mean 0, variance -1, third cumulant 5", "repeat 9 times", "x' = x - h U'(x')",
    "examples in a fresh random order in every epoch", "theta' = A^{-1/2} theta",
    "theta' = theta - h Sigma g(theta)", "theta' = theta^theta", "xi ~ N(0, Sigma)", "theta",
)  # fmt: skip


@cache
def _wholes() -> tuple[str, ...]:
    """Texts of the guide, which have in them all that can be said."""
    from reports.guide import _texts, cb_write_it_in_a_text

    ours = (_texts.BENT, _texts.BEST, _texts.DRAWN, _texts.MATRICES, _texts.ORDERS, _texts.RANDOM)
    return (cb_write_it_in_a_text.NOTES, cb_write_it_in_a_text.OURS, *ours)


@cache
def _sentences() -> tuple[str, ...]:
    """Sentences of the guide's tables, those that are not understood among them."""
    from reports.guide._sentences import SENTENCES, SPELLINGS, WRONG

    return tuple(one[0] for one in (*SENTENCES, *SPELLINGS, *WRONG))


def text(draw: Random) -> Case:
    """A text as ``verify`` reads it, every statement for itself; nothing is judged."""
    tex = draw.random() < 0.3
    whole = _LATEX if tex else draw.choice((_MARKDOWN, *_wholes()))
    for _ in range(draw.choice((1, 1, 2, 3, 5))):
        whole = _changed(draw, whole)
    whole = whole if draw.random() < 0.9 else whole.replace("\n", draw.choice(("\r\n", "\r", "\n\x00")))
    coded = draw.choice(("utf-8",) * 9 + ("utf-16", "latin-1", "utf-8-sig", "utf-32"))
    content = whole.encode(coded, "replace")
    name = "notes.tex" if tex else "notes.md"
    return Case("text", ("verify",), {name: content}, lambda folder: _read(folder / name))


def _changed(draw: Random, whole: str) -> str:
    """Something inserted, cut, doubled, or put for one of the formulas."""
    kind, at = draw.random(), draw.randrange(len(whole) + 1)
    if draw.random() < 0.3:
        return _spliced(draw, whole)
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


def _spliced(draw: Random, whole: str) -> str:
    """A row for the table, an update, or a few words of a sentence of the guide in another's place."""
    kind = draw.random()
    if kind < 0.25:
        row = f"| {draw.choice(_NAMES)} | {draw.choice(_ROWS)} | {draw.choice(('', 'step size'))} |"
        return whole.replace("--- |\n", f"--- |\n{row}\n", 1)
    if kind < 0.45:
        return whole.replace(
            "```sampler", f"```sampler b\n{draw.choice(_UPDATES)}\n```\n\n```sampler", 1
        )
    words, others = (draw.choice(_sentences()).split() for _ in range(2))
    at, by = draw.randrange(len(words)), draw.randrange(len(others))
    words[at : at + draw.randrange(1, 4)] = others[by : by + draw.randrange(4)]
    return f"{whole}\n\n**Claim 8{draw.randrange(1000)}.** {' '.join(words)}\n"


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
