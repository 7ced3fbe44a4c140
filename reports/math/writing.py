"""Formulas as programs print them, in LaTeX."""

from __future__ import annotations

import re

from reports.math.grammar import CONSTANTS, GREEK, RELATIONS, NotAFormula, Reader, Tree, accented

_NAMED = {"eps": r"\epsilon", "Abs": "abs", "tr": "Tr", "trace": "Tr", "var": "Var", "cov": "Cov"}
_UPRIGHT = ("log", "exp", "ln", "sin", "cos", "tan", "sinh", "cosh", "tanh", "coth", "max", "min")


def formula(text: str) -> str | None:
    r"""The LaTeX of a text that is one formula; None where it is not.

    >>> formula("x <- sqrt(h)*xi - 2*h*x"), formula("no formula")
    ('x \\leftarrow \\sqrt{h} \\xi - 2 h x', None)
    """
    try:
        return latex_of(Reader(text).whole())
    except NotAFormula:
        return None


def latex_of(tree: Tree, tight: bool = False) -> str:
    r"""A tree in LaTeX; ``tight`` writes fractions on one line, as in exponents.

    >>> latex_of(("over", ("number", "1"), ("times", ("number", "2"), ("name", "eps"))))
    '\\frac{1}{2 \\epsilon}'
    """
    kind, *parts = tree
    match kind:
        case "number":
            return _number(parts[0])
        case "name":
            return _name(parts[0])
        case "minus":
            return f"-{_held(parts[0], tight)}"
        case "sum" | "relation":
            signs = [RELATIONS.get(p, p) if isinstance(p, str) else latex_of(p, tight) for p in parts]
            return " ".join(signs)
        case "times":
            left, right = _held(parts[0], tight), _held(parts[1], tight)
            return rf"{left} \cdot {right}" if right[:1].isdigit() else f"{left} {right}"
        case "over":
            return _over(parts[0], parts[1], tight)
        case "power":
            return _power(parts[0], parts[1])
        case "group":
            return rf"\left({', '.join(latex_of(p, tight) for p in parts)}\right)"
        case "list":
            return rf"\left[{', '.join(latex_of(p, tight) for p in parts)}\right]"
        case "matrix":
            rows = r" \\ ".join(" & ".join(latex_of(p, True) for p in row) for row in parts)
            return rf"\begin{{pmatrix}} {rows} \end{{pmatrix}}"
        case "index":
            low = ", ".join(latex_of(p, True) for p in parts[1:])
            if parts[0] == ("name", "E"):
                return rf"\mathbb{{E}}\left[{low}\right]"
            return f"{{{latex_of(parts[0])}}}_{{{low}}}"
    return _call(parts[0], parts[1:], tight)


def _number(text: str) -> str:
    mantissa, e, power = text.lower().partition("e")
    if e:
        return rf"{mantissa} \cdot 10^{{{int(power)}}}"
    return mantissa.replace(",", "{,}")


def _name(text: str) -> str:
    star = "^{*}" if text.endswith("*") else ""
    text = text.removesuffix("*")
    primes = len(text) - len(text.rstrip("'"))
    stem = text.rstrip("'")
    first, _, below = stem.partition("_")
    if not below and (found := re.fullmatch(r"([A-Za-z]+?)(\d+)", first)):
        first, below = found[1], found[2]
    low = ", ".join(_below(part) for part in below.split("_") if part)
    raised = "'" * primes + star
    return CONSTANTS.get(stem) or _letter(first) + (f"_{{{low}}}" if low else "") + raised


def _below(part: str) -> str:
    if part in GREEK or len(part) < 3 or part.isdigit():
        return _letter(part) if part in GREEK else part
    return rf"\text{{{part}}}"


def _letter(name: str) -> str:
    bare, accent = accented(name)
    if accent:
        return rf"\{accent}{{{_letter(bare)}}}"
    if name in GREEK:
        return _NAMED.get(name, rf"\{name}")
    return name if len(name) == 1 else rf"\text{{{name}}}"


def _held(tree: Tree, tight: bool) -> str:
    """In brackets where a product would pull it apart."""
    written = latex_of(tree, tight)
    return rf"\left({written}\right)" if tree[0] in ("sum", "relation", "minus") else written


def _bare(tree: Tree) -> Tree:
    """Without brackets that a fraction's line makes needless."""
    return tree[1] if tree[0] == "group" and len(tree) == 2 else tree


def _over(top: Tree, bottom: Tree, tight: bool) -> str:
    short = all(_bare(t)[0] in ("number", "name") for t in (top, bottom))
    if tight or (short and top[0] != "number"):
        return f"{_held(top, tight)}/{_held(bottom, tight)}"
    return rf"\frac{{{latex_of(_bare(top))}}}{{{latex_of(_bare(bottom))}}}"


def _power(base: Tree, high: Tree) -> str:
    if base[0] == "name" and base[1][0].isupper() and high == ("name", "T"):
        return rf"{_name(base[1])}^{{\top}}"
    below = latex_of(base) if base[0] in ("number", "name", "group") else f"{{{latex_of(base)}}}"
    if base[0] == "name" and base[1].endswith("'"):
        below = rf"\left({below}\right)"
    if base[0] == "call" and base[1] in ("sqrt", "exp"):
        below = rf"\left({below}\right)"
    return f"{below}^{{{latex_of(_bare(high), tight=True)}}}"


def _call(name: str, arguments: list[Tree], tight: bool) -> str:
    inside = ", ".join(latex_of(a, tight) for a in arguments)
    stem = name.rstrip("'")
    match stem:
        case "sqrt":
            return rf"\sqrt{{{inside}}}"
        case "exp" if len(inside) < 30:
            return rf"e^{{{', '.join(latex_of(a, True) for a in arguments)}}}"
        case "Abs" | "abs":
            return rf"\left|{inside}\right|"
        case "floor":
            return rf"\left\lfloor {inside} \right\rfloor"
        case "ceiling":
            return rf"\left\lceil {inside} \right\rceil"
        case "Derivative":
            return _derivative(arguments)
        case "Integral" | "Sum" | "Product":
            return _big(stem, arguments)
        case "harmonic":
            order = f"^{{({latex_of(arguments[1])})}}" if len(arguments) > 1 else ""
            return f"H_{{{latex_of(arguments[0], True)}}}{order}"
        case "gamma" if len(arguments) == 1 and "," not in inside:
            return rf"\gamma\left({inside}\right)"
        case "E":
            return rf"\mathbb{{E}}\left[{inside}\right]"
    if stem in _UPRIGHT:
        return rf"\{stem}\left({inside}\right)"
    if (
        len(stem) > 1
        and stem not in GREEK
        and "_" not in stem
        and not re.fullmatch(r"[A-Za-z]\d+", stem)
    ):
        return rf"\operatorname{{{_NAMED.get(stem, stem)}}}\left({inside}\right)"
    return rf"{_name(name)}\left({inside}\right)"


def _derivative(arguments: list[Tree]) -> str:
    """Partial derivatives before what they are of."""
    before = ""
    for by in arguments[1:]:
        letter, order = (by[1], by[2]) if by[0] == "group" and len(by) == 3 else (by, ("number", "1"))
        power = "" if order == ("number", "1") else f"^{{{latex_of(order)}}}"
        before += rf"\partial_{{{latex_of(letter)}}}{power} "
    return before + _held(arguments[0], tight=False)


def _big(name: str, arguments: list[Tree]) -> str:
    """Sums, products and integrals with their ends."""
    sign = {"Integral": r"\int", "Sum": r"\sum", "Product": r"\prod"}[name]
    ends, by = "", ""
    for over in arguments[1:]:
        parts = over[1:] if over[0] == "group" else (over,)
        letter = latex_of(parts[0])
        low = (
            f"_{{{'' if name == 'Integral' else letter + '='}{latex_of(parts[1])}}}"
            if len(parts) > 1
            else ""
        )
        high = f"^{{{latex_of(parts[2])}}}" if len(parts) > 2 else ""
        ends += sign + low + high + " "
        by += rf" \, d{letter}" if name == "Integral" else ""
    return ends + _held(arguments[0], tight=False) + by


def terms_of(latex: str) -> list[str]:
    r"""A formula cut before each sign between its terms that stands in no bracket.

    >>> terms_of(r"a \le b + \frac{c - d}{e}")
    ['a', '\\le b', '+ \\frac{c - d}{e}']
    >>> terms_of(r"B = \begin{pmatrix} 1 - u \end{pmatrix}")
    ['B', '= \\begin{pmatrix} 1 - u \\end{pmatrix}']
    """
    parts, depth, start = [], 0, 0
    signs = re.compile(
        r"\\(?:left|begin|right|end)\b|[{}]| (?=(?:[-+=<>]|\\le|\\ge|\\to|\\leftarrow|\\ne) )"
    )
    for found in signs.finditer(latex):
        if found[0] == " " and depth == 0:
            parts.append(latex[start : found.start()])
            start = found.end()
        elif found[0] in ("{", r"\left", r"\begin"):
            depth += 1
        elif found[0] in ("}", r"\right", r"\end"):
            depth -= 1
    return [*parts, latex[start:]]
