"""Formulas from a grammar: most are potentials, some have no meaning, some are too large."""

from __future__ import annotations

from random import Random

_ATOMS = (
    "x", "x", "x", "x", "0", "1", "2", "0.5", "1/3", "-1", "1e9", "1e-9", "1e99", "1e-99", "1e999",
    "9" * 50,
    "y", "pi", "I", "oo", "nan", "e", "1j", "x.real", "'x'", "None", "0x1f", "1_0", "x1", "__name__",
)  # fmt: skip
_WHOLE = (
    "x/0", "log(0)*x", "sqrt(-1)*x", "(-8)**(1/3)*x", "0**-1", "x**x**x**x**x**x",
    "exp(" * 50 + "x" + ")" * 50,
    "2**" * 50 + "x", "(" * 150 + "x" + ")" * 150, "(" * 2000, "+".join(["x"] * 250),
    "*".join(["(x+1)"] * 120),
    "-" * 900 + "x", "x" * 2000, "x**2 if x else 1", "lambda: x", "[x]", "x; x", "x = 2", "exp(x, x)",
    "exp()",
    "exp(x)(x)", "x(2)", "exp", "__import__('os').system('touch touched')", "x**1e9", "9**9**9",
    "1/(x-x)",
    "0", "1", "x", "", " ", "\n", "x\x00", "x # y", "sqrt(x)**2**2", "log(log(log(x)))", "ｘ", "x²",
    "x^2",
    "((1+x)**10)**10", "x**100", "x**101", "x**-100", "exp(exp(exp(exp(x))))", "x**(1/3)", "1e90*1e90*x",
    "log(x - x)", "0**x", "(-1)**x", "x**0.5", "(x**2)**(1/2)", "exp(1000)*x", "exp(-1000)*x", "1/x",
    "log(x)",
)  # fmt: skip


def formula(draw: Random) -> str:
    """One of the known ones, or one from the grammar."""
    if draw.random() < 0.3:
        return draw.choice(_WHOLE)
    return _expression(draw, draw.randrange(1, 6))


def _expression(draw: Random, depth: int) -> str:
    if not depth or draw.random() < 0.1:
        return draw.choice(_ATOMS[:8] if draw.random() < 0.85 else _ATOMS)
    kind = draw.random()
    if kind < 0.7:
        left, right = _expression(draw, depth - 1), _expression(draw, depth - 1)
        sign = draw.choice(
            ("+", "-", "*", "/", "**", "+", "*", "//", "%", "@") if kind < 0.1 else "+-*/"
        )
        return f"({left}){sign}({right})" if draw.random() < 0.8 else f"{left}{sign}{right}"
    if kind < 0.82:
        power = draw.choice(("2", "2", "3", "4", "-1", "0.5", "50", "x", "(1/3)"))
        return f"({_expression(draw, depth - 1)})**{power}"
    if kind < 0.97:
        return (
            f"{draw.choice(('exp', 'log', 'sqrt', 'exp', 'sin', 'abs'))}({_expression(draw, depth - 1)})"
        )
    return f"-({_expression(draw, depth - 1)})"
