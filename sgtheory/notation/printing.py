"""How formulas are written: one LaTeX printer, one plain printer, and the tidy form of pair formulas."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.printing.latex import LatexPrinter
from sympy.printing.str import StrPrinter

from sgtheory.declare import Apply, FullGradient, Gradient, Noise, Vector
from sgtheory.errors import UnusableInput
from sgtheory.language import Dot, Size, step_in
from sgtheory.modepairs.pairs import LI, LJ
from sgtheory.notation.naming import name_latex
from sgtheory.polynomials import factored
from sgtheory.reader.formulas import formula

_SPECIAL = {
    "eps": r"\epsilon",
    "ones": r"\mathbf{1}",
    "BB^T": r"B B^{\top}",
    "I": r"\mathbf{I}",
    "mode": r"\theta^{\star}",
    "EE^T": r"E E^{\top}",
}


_BLOCK = re.compile(r"P_([^_]+)_([^_]+)(?:_.+)?")  # of second moments of two states
_MANY = 4  # derivatives from which on primes are not counted by the eye


class Latex(LatexPrinter):
    """SymPy's LaTeX, with the words of this language and terms in the order people write them."""

    def _print_Symbol(self, expr: Any, style: str = "plain") -> str:
        if block := _BLOCK.fullmatch(expr.name):
            a, b = (self._print(sp.Symbol(n)) for n in block.groups())
            return rf"\mathbb{{E}}[{a} {b}^{{\top}}]"
        if expr.name.startswith("Mean_"):  # of a state
            return self._mean(f"E[{expr.name.removeprefix('Mean_')}]")
        if expr.name.lstrip("d").startswith("E["):  # a mean, or what is added to one
            return self._mean(expr.name)
        return _SPECIAL.get(expr.name) or str(super()._print_Symbol(expr))

    def _mean(self, name: str) -> str:
        """Such as E[theta], dE[theta v^T]/dt and E[d theta v^T]."""
        d, inside, per_time = re.split(r"E\[|\]", name)
        mean = rf"\mathbb{{E}}[{' '.join(map(self._factor, inside.split()))}]"
        if not per_time:
            return (r"\mathrm{d}" if d else "") + mean
        return rf"\frac{{\mathrm{{d}}}}{{\mathrm{{d}}t}} {mean}" if d else rf"{mean} / \mathrm{{d}}t"

    def _factor(self, word: str) -> str:
        state = self._print(sp.Symbol(word.removesuffix("^T")))
        return r"\mathrm{d}" if word == "d" else state + r"^{\top}" * word.endswith("^T")

    def _deal_with_super_sub(self, string: str, style: str = "plain") -> str:
        """Names, of functions too: words upright, letters as letters."""
        gram = re.fullmatch(r"([A-Z])\1_([ijk]{2})", string)  # an entry of E E^T
        if gram:
            return rf"({gram[1]} {gram[1]}^{{\top}})_{{{gram[2]}}}"
        written = (name_latex(string) or _named_after(string)) if style == "plain" else None
        return written or str(super()._deal_with_super_sub(string, style=style))

    def _print_Pow(self, expr: Any) -> str:
        base = self._print(expr.base) if expr.base.is_Symbol else ""
        spaced = re.search(r"[ /]", re.sub(r"\{.*\}", "", base))
        if spaced and (base == _SPECIAL["BB^T"] or not expr.exp.could_extract_minus_sign()):
            return rf"\left({base}\right)^{{{self._print(expr.exp)}}}"
        return str(super()._print_Pow(expr))

    def _print_Trace(self, expr: Any, exp: Any = None) -> str:
        text = rf"\operatorname{{Tr}}\left({self._print(expr.args[0])}\right)"
        return text if exp is None else rf"{text}^{{{exp}}}"

    def _print_Diagonal(self, expr: Any, exp: Any = None) -> str:
        text = rf"\operatorname{{diag}}\left({self._print(expr.args[0])}\right)"
        return text if exp is None else rf"{text}^{{{exp}}}"

    def _print_Apply(self, expr: Any, exp: Any = None) -> str:
        matrix, x = expr.args
        inner = self._print(x)
        if x.is_Add:
            inner = rf"\left({inner}\right)"
        text = rf"{self._print(matrix)} {inner}"
        return text if exp is None else rf"\left({text}\right)^{{{exp}}}"

    def _print_Root(self, expr: Any, exp: Any = None) -> str:
        return rf"{self._print(expr.args[0])}^{{1/2}}"

    def _print_Gradient(self, expr: Any, exp: Any = None) -> str:
        x, draw = expr.args
        mark = "" if draw == 0 else rf"_{{{draw}}}"
        text = rf"\hat{{g}}{mark}({self._print(x)})"
        return text if exp is None else rf"{text}^{{{exp}}}"

    def _print_FullGradient(self, expr: Any, exp: Any = None) -> str:
        return rf"g({self._print(expr.args[0])})"

    def _print_Curvature(self, expr: Any, exp: Any = None) -> str:
        x, draw = expr.args
        mark = "" if draw == 0 else rf"_{{{draw}}}"
        return rf"\hat{{g}}{mark}'({self._print(x)})"

    def _print_Prior(self, expr: Any, exp: Any = None) -> str:
        return rf"g_0({self._print(expr.args[0])})"

    def _print_PriorCurvature(self, expr: Any, exp: Any = None) -> str:
        return rf"g_0'({self._print(expr.args[0])})"

    def _print_DiagonalOf(self, expr: Any, exp: Any = None) -> str:
        return self._print_Diagonal(expr, exp)

    def _print_Seen(self, expr: Any, exp: Any = None) -> str:
        old, x, _ = expr.args
        return rf"[{self._print(old)}; \text{{drawn}} \to {self._print(x)}]"

    def _print_Derivative(self, expr: Any, exp: Any = None) -> str:
        inner, letters = expr.expr, _letters(expr)
        if letters is None:
            return str(super()._print_Derivative(expr))
        name = self._print(sp.Symbol(inner.func.__name__))
        count = len(letters)
        if len(inner.args) == 1:
            mark = "'" * count if count < _MANY else rf"^{{({count})}}"
            text = f"{name}{mark}({self._print(inner.args[0])})"
        else:
            text = rf"\partial_{{{' '.join(map(self._print, letters))}}} {name}"
        return text if exp is None else rf"\left({text}\right)^{{{exp}}}"

    def _print_Dot(self, expr: Any, exp: Any = None) -> str:
        return rf"{self._print(expr.args[0])}^{{\top}} {self._print(expr.args[1])}"

    def _as_ordered_terms(self, expr: Any, order: Any = None) -> list[Any]:
        return readable(super()._as_ordered_terms(expr, order=order))

    def _print_Mul(self, expr: Any) -> str:
        vector = _only_vector(expr)
        if vector is None:
            return str(super()._print_Mul(expr))
        return _in_front(self._print(expr / vector), expr / vector, r"\left({}\right)") + self._print(
            vector
        )

    def _needs_mul_brackets(self, expr: Any, first: bool = False, last: bool = False) -> bool:
        if isinstance(expr, Gradient | FullGradient | Apply):
            return False
        return bool(super()._needs_mul_brackets(expr, first=first, last=last))


def _named_after(name: str) -> str | None:
    """The LaTeX of a letter named after an expression: ``G[1 - a*eta]``, ``tr(C)``, ``x - y``."""
    found = re.fullmatch(r"(\w+)(?:\[(.+)\]|\((.+)\))(_\w+)?", name)
    if found:
        inside, low = _expressions(found[2] or found[3]), f"_{{{found[4][1:]}}}" if found[4] else ""
        left, right = "[]" if found[2] else "()"
        return inside and rf"{name_latex(found[1]) or found[1]}\left{left}{inside}\right{right}{low}"
    if name.endswith("^T"):
        return rf"{name_latex(name[:-2]) or name[:-2]}^{{\top}}"
    found = re.fullmatch(r"([A-Za-z])_(\w+/\w+)", name)
    if found:
        return rf"{found[1]}_{{{'/'.join(name_latex(part) or part for part in found[2].split('/'))}}}"
    if re.fullmatch(r"[\w ,.+()-]*[^\W_]\)? [^\W_][\w ,.+()-]*", name):
        return rf"\text{{{name.replace('_', ' ')}}}"
    return _expressions(name) if re.search(r"\w [-+*/] \w", name) else None


def _expressions(text: str) -> str | None:
    """Expressions with commas between them, in LaTeX; None where they are none."""
    if "|" in text:
        return r" \mid ".join(_expressions(part) or part for part in text.split("|"))
    if "," in text:
        found = [_expressions(part.strip()) for part in text.split(",")]
        return None if None in found else ", ".join(filter(None, found))
    if re.fullmatch(r"[A-Za-z]\w*", text):  # lambda too, which Python would not read as a letter
        return latex(sp.Symbol(text))
    text = re.sub(r"\^(-?\d+)", r"**(\1)", text)
    letters = {word: sp.Symbol(word) for word in re.findall(r"[A-Za-z_]\w*", text)}
    try:
        return str(latex(formula(text, letters)))
    except UnusableInput:
        return None


class Plain(StrPrinter):
    """One-line text in the same words."""

    def _print_Symbol(self, expr: Any) -> str:
        block = _BLOCK.fullmatch(expr.name)
        if block and not expr.name.endswith("_ij"):
            return f"E[{block[1]} {block[2]}^T]"
        if expr.name.startswith("Mean_"):
            return f"E[{expr.name.removeprefix('Mean_')}]"
        return str(super()._print_Symbol(expr))

    def _print_Apply(self, expr: Any) -> str:
        matrix, x = expr.args
        inner = self._print(x)
        return f"{self._print(matrix)} ({inner})" if x.is_Add else f"{self._print(matrix)} {inner}"

    def _print_Mul(self, expr: Any) -> str:
        vector = _only_vector(expr)
        if vector is None:
            return str(super()._print_Mul(expr))
        return _in_front(self._print(expr / vector), expr / vector, "({})") + self._print(vector)

    def _print_Root(self, expr: Any) -> str:
        return f"{self._print(expr.args[0])}^(1/2)"

    def _print_Gradient(self, expr: Any) -> str:
        x, draw = expr.args
        return f"g^({self._print(x)})" if draw == 0 else f"g^{draw}({self._print(x)})"

    def _print_FullGradient(self, expr: Any) -> str:
        return f"g({self._print(expr.args[0])})"

    def _print_Curvature(self, expr: Any) -> str:
        x, draw = expr.args
        return f"g^'({self._print(x)})" if draw == 0 else f"g^{draw}'({self._print(x)})"

    def _print_Prior(self, expr: Any) -> str:
        return f"g0({self._print(expr.args[0])})"

    def _print_PriorCurvature(self, expr: Any) -> str:
        return f"g0'({self._print(expr.args[0])})"

    def _print_DiagonalOf(self, expr: Any) -> str:
        return f"diag({self._print(expr.args[0])})"

    def _print_Seen(self, expr: Any) -> str:
        old, x, _ = expr.args
        return f"[{self._print(old)}; drawn: {self._print(x)}]"

    def _print_Derivative(self, expr: Any) -> str:
        inner, letters = expr.expr, _letters(expr)
        if letters is None:
            return str(super()._print_Derivative(expr))
        name, count = inner.func.__name__, len(letters)
        if len(inner.args) == 1:
            mark = "'" * count if count < _MANY else f"^({count})"
            return f"{name}{mark}({self._print(inner.args[0])})"
        names = [self._print(x) for x in letters]
        short = count == 1 or all(len(n) == 1 for n in names)
        return f"{name}_{''.join(names)}" if short else f"{name}_({', '.join(names)})"

    def _print_Dot(self, expr: Any) -> str:
        x, y = map(self._print, expr.args)
        return f"|{x}|^2" if x == y else f"<{x}, {y}>"

    def _print_MatrixBase(self, expr: Any) -> str:
        rows = (", ".join(self._print(x) for x in expr.row(i)) for i in range(expr.rows))
        return f"[{'; '.join(rows)}]"

    _print_ImmutableDenseMatrix = _print_MatrixBase

    def _as_ordered_terms(self, expr: Any, order: Any = None) -> list[Any]:
        return readable(super()._as_ordered_terms(expr, order=order))


def _letters(derivative: Any) -> list[Any] | None:
    """What a named function is differentiated by, each as often as it is; None for anything else."""
    inner = derivative.expr
    if not isinstance(inner, AppliedUndef) or any(v not in inner.args for v in derivative.variables):
        return None
    return list(derivative.variables)


def _only_vector(product: Any) -> Any:
    """The vector that a product scales, or None: it is written last."""
    if not product.is_Mul:  # SymPy prints 1/x as a product
        return None
    vectors = [a for a in product.args if isinstance(a, Vector | Apply | Gradient | FullGradient)]
    others = any(a not in vectors and a.atoms(Vector) and not a.has(Dot) for a in product.args)
    return vectors[0] if len(vectors) == 1 and not others else None


def _in_front(written: str, scalar: Any, brackets: str) -> str:
    if scalar == -1:
        return "-"
    return (brackets.format(written) if scalar.is_Add else written) + " "


def readable(terms: list[Any]) -> list[Any]:
    """States first, noise last; 1 - x, never -x + 1; low powers of the step before high ones."""

    def place(term: Any) -> tuple[bool, int, bool, Any]:
        noisy = bool(term.atoms(Noise))
        drift = bool(term.atoms(Gradient, FullGradient, Apply))
        minus = term.could_extract_minus_sign()
        power = term.as_powers_dict().get(step_in(term), 0)
        return noisy, 2 * drift + minus, minus, power

    return sorted(terms, key=place)


@cache
def latex(expr: Any) -> str:
    """The expression in LaTeX.

    >>> eps, lam = sp.symbols("eps lambda")
    >>> latex(1 - eps * lam)
    '1 - \\\\epsilon \\\\lambda'
    """
    settings = {"fold_short_frac": False, "mat_delim": "("}
    return str(Latex(settings).doprint(sp.sympify(expr)))


@cache
def plain(expr: Any) -> str:
    """The expression on one line of text."""
    return str(Plain({"order": None}).doprint(sp.sympify(expr)))


@cache
def tidy(expr: Any, in_factors: bool = False) -> Any:
    """A sum of pair formulas with positive-looking denominators, grouped by powers of the step.

    The value is unchanged; only the writing is. Symmetric polynomials of the two eigenvalues
    are written in their sum, their product and the square of their difference. Terms that are
    ``in_factors`` already are not factored again.

    >>> eps, S, C = sp.symbols("eps S C_ij")
    >>> tidy(-C * eps / (S * (eps * LI * LJ - LI - LJ)))
    C_ij*eps/(S*(-eps*lambda_i*lambda_j + lambda_i + lambda_j))
    """
    if expr.is_Add:
        return sp.Add(*(tidy(term, in_factors) for term in expr.args))
    factors = [_group(f) for f in sp.Mul.make_args(expr if in_factors else factored(expr))]
    sign = sp.Mul(*(s for s, _ in factors))
    return sp.Mul(sign, *(f for _, f in factors))


@cache
def _group(factor: Any) -> tuple[Any, Any]:
    """A sign, and the factor times that sign, written by powers of the step."""
    base, power = factor.as_base_exp()
    if not base.is_Add or not power.is_Integer:
        return sp.Integer(1), factor
    step = step_in(base)
    parts = {k: _symmetric(c) for (k,), c in sp.Poly(base, step).terms()}
    sign = _sign_when_small(parts[min(parts)])
    written = sp.Add(*(step**k * _times(sign, c) for k, c in parts.items()))
    return sign**power, written**power


def _sign_when_small(expr: Any) -> Any:
    """The sign of an expression when every parameter is small and positive: steps and dampings are.

    Of what is no number then, such as an end of a spectrum, the plus.
    """
    symbols = sorted(expr.free_symbols, key=lambda s: s.name)
    small = {s: sp.Rational(1, 7 + n) for n, s in enumerate(symbols)}
    value = expr.subs(small | {s: 1 / x for s, x in small.items() if isinstance(s, Size)})
    return sp.Integer(-1) if (value < 0) is sp.true else sp.Integer(1)


def _times(sign: Any, expr: Any) -> Any:
    """sign * expr, term by term."""
    if sign == 1:
        return expr
    return sp.Add(*(_bright(-a) for a in sp.Add.make_args(expr)))


def _bright(product: Any) -> Any:
    """A factored scalar with 2 - mu for mu - 2, so that its sign is seen at its front."""
    factors = []
    for factor in sp.Mul.make_args(product):
        base, power = factor.as_base_exp()
        dark = base.is_Add and power.is_Integer and _sign_when_small(base) < 0
        bright = sp.Add(*(-a for a in sp.Add.make_args(base))) if dark else base
        factors += [(sp.Integer(-1) if dark else sp.Integer(1)) ** power, bright**power]
    return sp.Mul(*factors)


def _symmetric(coefficient: Any) -> Any:
    """A polynomial that is symmetric in the eigenvalues, in sum, product and squared difference."""
    swapped = coefficient.subs({LI: LJ, LJ: LI}, simultaneous=True)
    if not coefficient.has(LI, LJ) or sp.expand(swapped - coefficient) != 0:
        return _bright(factored(coefficient))
    in_basis, _, names = sp.symmetrize(sp.expand(coefficient), LI, LJ, formal=True)
    total, product, gap = (names[0][0], names[1][0], sp.Symbol("_gap"))
    squares_out = sum(
        c * total ** (a % 2) * (gap + 4 * product) ** (a // 2) * product**b
        for (a, b), c in sp.Poly(in_basis, total, product).terms()
    )
    terms = sp.Poly(squares_out, total, product, gap).terms()
    return sp.Add(
        *(
            _bright(factored(c)) * (LI + LJ) ** a * (LI * LJ) ** b * (LI - LJ) ** (2 * d)
            for (a, b, d), c in terms
        )
    )
