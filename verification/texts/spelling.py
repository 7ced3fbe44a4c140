"""How signs of formulas are spelt, plainly, in Unicode and in LaTeX: each is one token."""

from __future__ import annotations

import re

# the step of a letter in a block: theta_t, theta_{k+1}, v_{n+1/2}
STEP = (
    r"_(?:\{\s*+[tkn]\s*+(?:\+\s*+(?:1|\\frac\s*+\{?\d\}?\s*+\{?\d\}?|\d\s*+/\s*+\d)\s*+)?\}"
    r"|[tkn](?:\+1)?(?![A-Za-z0-9]))"
)
_HAT = r"\\(?:hat|tilde|widehat|widetilde)\s*+"
NABLA = re.compile(  # a gradient; with a hat that over a minibatch
    rf"(?:{_HAT}\{{?\s*+)?(?:\\nabla|∇)\s*+\}}?\s*+(?:_\{{?\\?[A-Za-z]+\}}?)?\s*+(?:{_HAT}\{{?\s*+)?\\?[A-Za-z]\}}?"
)
LAWS = ("q", "p", "pi_h", "posterior", "target", "law", "past")
MOST, DEEPEST = 240, 24  # tokens of a statement, and brackets within one another
SYMBOLS = {
    "<=>": ("IFF", ""), "<=": ("REL", "<="), ">=": ("REL", ">="), "!=": ("REL", "!="), "->": ("ARROW",
    ""),
    "||": ("BESIDE", ""), "=": ("REL", "="), "<": ("REL", "<"), ">": ("REL", ">"), "~": ("REL", "~"),
    "+": ("SIGN", "+"), "-": ("SIGN", "-"), "*": ("TIMES", "*"), "/": ("DIV", "/"), "^": ("CARET", "^"),
    "'": ("PRIME", "'"), "_": ("SUB", "_"), ";": ("SEP", ";"), ":": ("SEP", ":"),
    "≤": ("REL", "<="), "≥": ("REL", ">="), "≠": ("REL", "!="), "→": ("ARROW", ""), "∝": ("PROPTO", ""),
    "∼": ("REL", "~"), "·": ("TIMES", "*"), "×": ("TIMES", "*"), "−": ("SIGN", "-"), "⇔": ("IFF", ""),
    "∞": ("NAME", "oo"), "∑": ("SUM", "sum"), "∫": ("INT", "int"), "⪰": ("REL", ">="),
    "⪯": ("REL", "<="), "≻": ("REL", ">"), "≺": ("REL", "<"), "≈": ("REL", "~"), "′": ("PRIME", "'"),
    "=>": ("IMPLIES", ""), "⇒": ("IMPLIES", ""), "⟹": ("IMPLIES", ""), "⟺": ("IFF", ""),
    "∀": ("HYP", ""), "∃": ("EXISTS", ""), "**": ("CARET", "^"),
}  # fmt: skip
COMMANDS = {
    "le": "<=", "leq": "<=", "leqslant": "<=", "ge": ">=", "geq": ">=", "geqslant": ">=", "ne": "!=",
    "neq": "!=", "lt": "<", "gt": ">", "preceq": "<=", "succeq": ">=", "prec": "<", "succ": ">",
    "propto": "∝",
    "sim": "~", "to": "->", "rightarrow": "->", "infty": "∞", "cdot": "*", "times": "*", "iff": "<=>",

    "implies": "=>", "Rightarrow": "=>", "Longrightarrow": "=>", "Leftrightarrow": "<=>",
    "Longleftrightarrow": "<=>", "forall": "∀", "exists": "∃", "sum": "∑",
    "int": "∫",
    "prime": "'", "approx": "~",
}  # fmt: skip
SPACES = frozenset(
    """left right big Big bigg Bigg bigl bigr Bigl Bigr displaystyle textstyle quad qquad limits
    nonumber""".split()  # noqa: SIM905
)
FONTS = frozenset(
    "mathbb mathbf mathrm mathcal mathsf operatorname boldsymbol bm rm bf mathit".split()  # noqa: SIM905
)
BRACKETS = {"(": ")", "[": "]", "{": "}"}
WORD = re.compile(r"[A-Za-z][A-Za-z-]*[A-Za-z]|[A-Za-z]|[Α-ω]")
NUMBER = re.compile(r"\d+(?:\.\d+)?(?:[eE][+-]?\d+(?![A-Za-z]))?|\.\d+")
INDEX = re.compile(r"_(?:\{\s*\\?([A-Za-z0-9_]+)\s*\}|\\?([A-Za-z0-9]+))")
DERIVATIVE = re.compile(r"(?:d|∂|\\partial)\s*/\s*(?:d|∂|\\partial)\s*(\\?[A-Za-z]+)|"
                         r"\\[dt]?frac\s*\{\s*(?:d|\\partial|\\mathrm\{d\})\s*\}\s*"
                         r"\{\s*(?:d|\\partial|\\mathrm\{d\})\s*(\\?[A-Za-z]+)\s*\}")  # fmt: skip
FONT = re.compile(r"\\([A-Za-z]+)\s*\{\s*([A-Za-z]+)\s*\}")
TEXT = re.compile(r"\\(?:text|textrm|mbox|textnormal)\s*\{")
# a letter in an interval, whose ends may be open or closed
WITHIN = re.compile(r"(?:\\in(?![A-Za-z])|∈|in(?![A-Za-z-]))\s*\$?\s*(?:\\left\s*)?([\[(])")
OPENS = re.compile(r"\s*(?:\\(?:left|big|Big|bigl|Bigl)\s*)?\\?[(\[{_]")
ARGBEST = re.compile(r"(?:\\operatorname\*?\{)?\\?arg\s*(?:\\[,;!])?\s*\\?(min|max)\}?(?![A-Za-z])")
BOUND = re.compile(r"(?:∑|\\?sum)\s*(?:\\limits)?\s*_\s*\{?\s*(\\?[A-Za-z]+)\s*=")
INTEGRATED = re.compile(r"(?:∫|\\?int)\s*(?:\\limits)?\s*_[^$]*?\bd\s*(\\?[A-Za-z]+)")
DIFFERENTIAL = re.compile(r"\\?(?:mathrm\{d\}|d)\s*(\\?[A-Za-z]+)(?![A-Za-z])")
ALONE = (
    "SEP",
    "REL",
    "SIGN",
    "TIMES",
    "DIV",
    "CARET",
    "SUB",
    "LEFT",
    "HYP",
    "AND",
    "IFF",
    "BARE",
    "BAR",
    "COMMA",
)
# every eigenvalue of the curvature, by an index
EACH = re.compile(r"for (?:all|every|each|any) \$?([ijk])\$?(?![\w'^=<>({[])")
OPERANDS = ("NAME", "NUM", "RIGHT", "ENDBAR", "TOP", "PRIME")  # after which a formula is whole
# for all eigenvalues a, b of A
EIGENVALUES = re.compile(
    r"for (?:all|every|each|any)(?: pair of| two)? eigenvalues? \$?(\\?[A-Za-z]+)"
    r"(?:\$?\s*(?:,|and)\s*\$?(\\?[A-Za-z]+))?\$?\s+of\s+\$?([A-Za-z])\$?(?![\w'^])"
)
# a letter on its way to a limit
GOES = re.compile(
    r"\s*\$?\s*\\?[A-Za-z_]+\s*(?:\$\s*)?(?:->|→|\\to\b|\\rightarrow|vanishes|grows|goes|tends)"
)


def two_ends(after: str) -> bool:
    """Whether what follows an opening bracket is two ends of an interval.

    >>> two_ends("0, 2/(a + b)) and so on"), two_ends("0) then a, b]")
    (True, False)
    """
    depth, commas = 0, 0
    for sign in after:
        if sign in ")]" and not depth:
            break
        depth += (sign in "([{") - (sign in ")]}")
        commas += sign == "," and not depth
    return commas == 1


def at_step(said: str) -> tuple[str, bool]:
    """What a step adds to a letter's name, and whether it is that after the whole step.

    >>> at_step("_t"), at_step("_{k + 1}"), at_step(r"_{n+\\frac12}")
    (('', False), ('', True), ('+1/2', False))
    """
    digits = re.findall(r"\d", said)
    return (f"+{'/'.join(digits)}", False) if len(digits) > 1 else ("", bool(digits))


def index_or_limits(body: str, at: int) -> bool:
    """Whether limits of a sum or an integral follow."""
    return re.match(r"\s*(\\limits)?\s*_", body[at : at + 20]) is not None
