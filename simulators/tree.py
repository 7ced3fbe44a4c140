"""Right-hand sides as trees: what both emitters write, each in its own language.

An operation is named as its function is in CUDA C, an operator by its sign. Nothing is simplified: the
tree is carried out as it stands, one rounding at each operation, so that bits agree on every target.

>>> x, y = variable("x"), variable("y")
>>> written(fma(x, y, -x) * (y - 0.5))
'fma(x, y, -x) * (y - 0.5)'
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

VARIABLE, NUMBER, NEGATIVE = "variable", "number", "negative"
ARITHMETIC = ("+", "-", "*", "/", "<<", ">>", "&", "|", "^")
COMPARISONS = ("<", "<=", ">", "==")


@dataclass(frozen=True, eq=False, slots=True)
class Node:
    """An operation on trees, a variable, or a number."""

    op: str
    args: tuple[Node, ...] = ()
    value: str | float = ""  # which variable, which number

    def __add__(self, other: Node | float) -> Node:
        return Node("+", (self, _tree(other)))

    def __sub__(self, other: Node | float) -> Node:
        return Node("-", (self, _tree(other)))

    def __mul__(self, other: Node | float) -> Node:
        return Node("*", (self, _tree(other)))

    def __truediv__(self, other: Node | float) -> Node:
        return Node("/", (self, _tree(other)))

    def __lshift__(self, other: Node) -> Node:
        return Node("<<", (self, other))

    def __rshift__(self, other: Node) -> Node:
        return Node(">>", (self, other))

    def __and__(self, other: Node) -> Node:
        return Node("&", (self, other))

    def __or__(self, other: Node) -> Node:
        return Node("|", (self, other))

    def __xor__(self, other: Node) -> Node:
        return Node("^", (self, other))

    def __lt__(self, other: Node | float) -> Node:
        return Node("<", (self, _tree(other)))

    def __le__(self, other: Node | float) -> Node:
        return Node("<=", (self, _tree(other)))

    def __gt__(self, other: Node | float) -> Node:
        return Node(">", (self, _tree(other)))

    def __neg__(self) -> Node:
        return Node(NEGATIVE, (self,))


def variable(text: str) -> Node:
    """A variable, as the target calls it."""
    return Node(VARIABLE, value=text)


def variables(text: str) -> tuple[Node, ...]:
    """Several variables."""
    return tuple(map(variable, text.split()))


def number(value: float) -> Node:
    """A number of the run's type."""
    return Node(NUMBER, value=value)


def _tree(of: Node | float) -> Node:
    return of if isinstance(of, Node) else number(of)


def function(op: str) -> Callable[..., Node]:
    """The function of trees and numbers that is called so."""
    return lambda *args: Node(op, tuple(map(_tree, args)))


fma, root, absolute = function("fma"), function("root"), function("absolute")
bits, unbits = function("bits"), function("unbits")
real_i, real_w, join = function("real_i"), function("real_w"), function("join")
pick = function("pick")


# an integer of the size of the run's type, with a sign and without: a number, or another one's bits
int_, word_ = function("int_"), function("word_")


def equals(a: Node, b: Node | float) -> Node:
    """Whether two numbers are the same."""
    return Node("==", (a, _tree(b)))


def horner(coefficients: Sequence[float], x: Node) -> Node:
    """A polynomial as nested fused multiply-adds.

    >>> written(horner((3.0, 2.0, 1.0), variable("x")), str)
    'fma(fma(3.0, x, 2.0), x, 1.0)'
    """
    total = number(coefficients[0])
    for coefficient in coefficients[1:]:
        total = fma(total, x, coefficient)
    return total


def renamed(tree: Node, words: Mapping[str, str]) -> Node:
    """The tree with other operations in the place of some."""
    return Node(words.get(tree.op, tree.op), tuple(renamed(a, words) for a in tree.args), tree.value)


def written(tree: Node, literal: Callable[[float], str] = repr) -> str:
    """The tree in the language of C; ``literal`` writes a number of the run's type."""
    if tree.op == VARIABLE:
        return str(tree.value)
    if tree.op == NUMBER:
        return literal(float(tree.value))
    if tree.op in ("int_", "word_") and tree.args[0].op == NUMBER:
        whole = int(tree.args[0].value)
        return f"{tree.op}({hex(whole) if whole > 9999 else whole})"
    if tree.op == NEGATIVE:
        return f"-{_operand(tree.args[0], '', literal)}"
    if tree.op in ARITHMETIC:
        left, right = tree.args
        return f"{_operand(left, tree.op, literal)} {tree.op} {_operand(right, '', literal)}"
    if tree.op in COMPARISONS:
        return f" {tree.op} ".join(_operand(a, "", literal) for a in tree.args)
    return f"{tree.op}({', '.join(written(a, literal) for a in tree.args)})"


def _operand(tree: Node, before: str, literal: Callable[[float], str]) -> str:
    """An operand in brackets, unless it is a call, a variable, or the left one of the same operator."""
    text = written(tree, literal)
    bare = tree.op not in (*ARITHMETIC, *COMPARISONS, NEGATIVE) or tree.op == before
    return text if bare else f"({text})"
