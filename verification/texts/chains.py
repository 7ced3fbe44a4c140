"""Steps of a text on a line that are no linear updates, or whose noise has a law that is named."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lark import Token, Tree

from verification.statements import sqrt
from verification.terms.term import Letter, Term
from verification.texts.blocks import Block
from verification.texts.drawn import Drawn
from verification.texts.formulas import Formulas
from verification.texts.letters import FUNCTIONS, Letters
from verification.texts.shapes import is_name, only_name, put
from verification.texts.unclear import Unclear
from verification.theories.chains.words import Chain, chain, of_law

_BENT = ("sign", "sgn", "clip", "abs", "tanh", "sin", "cos", "max", "min")
_NEW = "next"


def is_bent(block: Block, letters: Letters) -> bool:
    """Whether some lines have more in them than numbers times vectors, or noise of its own law."""
    if any(one.law for one in block.others) and not any(block.gradients):
        return True  # else it is a coefficient of a linear step
    functions = {n for row in letters.rows if row.kind in FUNCTIONS for n in row.names} - {"g"}
    return any(
        _is_bent(tree, one.state, functions)
        for one in block.updates
        for tree in one.tree.iter_subtrees()
    )


def is_on_a_line(block: Block) -> bool:
    """Whether it is one update in which no gradient is taken."""
    return len(block.updates) == 1 and not any(block.gradients)


def _is_bent(tree: Any, state: str, functions: set[str]) -> bool:
    """Whether a part of a step is a function of more than numbers, or a power of the state."""
    if tree.data in ("function", "bare_function", "function_below"):
        return str(tree.children[0]) in _BENT
    if tree.data == "called":
        return str(tree.children[0]).rstrip("'") in functions
    if tree.data == "raised":
        base, power = tree.children
        if getattr(base, "data", "") == "primed":
            (base,) = base.children
        first = next(power.scan_values(bool), None)
        return is_name(base, state) and getattr(first, "type", "") == "NUM"
    return bool(tree.data == "size")


def chain_of(block: Block, name: str, letters: Letters) -> Chain:
    """The chain that such a block is."""
    if len(block.updates) != 1 or not all(one.law for one in block.others):
        told = "a step with signs, clips, powers or open functions has one state"
        raise Unclear("one line of updates", str(len(block.updates)), told, block.updates[-1].start)
    if block.reshuffled:
        raise Unclear("minibatches that are reshuffled", "a step without", "leave that line out", 0)
    (line,) = block.updates
    place, plain = line.state, letters.of("")
    own = [one for said in block.others for one in _drawn(said, Formulas(plain))]
    kinds = [(n, "variable") for n in (place, _NEW, *block.noises, *(a.name for a, _, _ in own))]
    new = Tree("name", [Token("NAME", _NEW)])
    after = put(
        line.tree, lambda t: new if t.data == "primed" and only_name(t.children[0]) == place else None
    )
    try:
        found = Formulas(plain.binding(kinds)).term(after)
    except Unclear as error:
        error.at = line.start
        raise
    meant: dict[Any, Any] = {a: whole for a, whole, _ in own if whole != a}
    made: list[Any] = [Letter(n, "variable") for n in (place, *block.noises)]
    return chain(name, found.put(meant), *made, *(law for _, _, law in own))


def _drawn(said: Drawn, formulas: Formulas) -> Iterator[tuple[Letter, Term, Term]]:
    """Each noise of a line: its letter, what stands for it in the step, and its law."""
    numbers = [formulas.term(one) for one in said.numbers]
    for letter in (Letter(n, "variable") for n in said.names):
        if said.law == "normal":
            mean, variance = numbers
            yield letter, mean + sqrt(variance) * letter, letter
        else:
            yield letter, letter, of_law(letter, said.law, *numbers)
