"""Random numbers in LLVM's language: the generator, the normals, and a buffer filled with them."""

from __future__ import annotations

from simulators import philox
from simulators.cpu.ir import REAL, WIDE, WORD, Code, Value
from simulators.moments import LANES
from simulators.transforms import law


def words(
    code: Code, counter: tuple[Value, ...], purpose: int, second: Value | None = None
) -> tuple[Value, ...]:
    """Four words of a counter under the key (seed, purpose), in the low halves of 64-bit lanes.

    The high halves are rubbish. Only the chain differs between lanes, so that the first rounds are
    mostly arithmetic on single numbers; ``second`` is the one product of the second round that
    does not depend on the step, where the caller has it already.
    """
    c0, c1, c2, c3 = counter
    low, half = code.constant(0xFFFFFFFF, WIDE), code.constant(32, WIDE)
    key = (Value("%seed", WIDE, True), code.constant(purpose, WIDE))
    for r in range(philox.ROUNDS):
        k0, k1 = (
            code.binary("add", k, code.constant(r * w & 0xFFFFFFFF, WIDE))
            for k, w in zip(key, philox.WEYL, strict=True)
        )
        p0, p1 = (
            code.binary("mul", code.binary("and", c, low), code.constant(m, WIDE))
            for c, m in zip((c0, c2), philox.MULTIPLIERS, strict=True)
        )
        if r == 1 and second is not None:
            p1 = second
        c0, c2 = (
            code.binary("xor", code.binary("lshr", p, half), code.binary("xor", c, k))
            for p, c, k in ((p1, c1, k0), (p0, c3, k1))
        )
        c1, c3 = p1, p0
    return c0, c1, c2, c3


def second(code: Code, block: int, chain: Value, purpose: int) -> Value:
    """What ``words`` calls so: the same for all steps."""
    first = code.constant((block * philox.MULTIPLIERS[0] >> 32) ^ purpose, WIDE)
    c2 = code.binary("and", code.binary("xor", first, chain), code.constant(0xFFFFFFFF, WIDE))
    return code.binary("mul", c2, code.constant(philox.MULTIPLIERS[1], WIDE))


def numbers(code: Code, random: tuple[Value, ...], purpose: int) -> tuple[Value, ...]:
    """The numbers of a stream that four words make: normals, or of its own law."""
    vectors = tuple(code.spread(w) for w in random)
    if code.bits == 32:
        vectors = tuple(code.recast(code.halves(w, 0), WORD) for w in vectors)
    name, constants = law(purpose)
    share = len(code.functions[name].parameters) - len(constants)  # words for one call
    calls = (vectors[k : k + share] for k in range(0, len(vectors), share))
    numbers = [code.constant(x, REAL) for x in constants]
    return tuple(z for call in calls for z in code.expand(name, *call, *numbers))


def chains(code: Code, base: str, lane: str) -> Value:
    """The numbers of the chains in a vector that begins at a lane."""
    first = Value(code.let(f"add i64 {base}, {lane}"), WIDE, True)
    numbers = ", ".join(f"i64 {k}" for k in range(code.lanes))
    return code.binary("add", first, Value(f"<{numbers}>", WIDE))


def counter(code: Code, group: str) -> tuple[Value, Value]:
    """The two words of the number of a group of steps."""
    low = code.let(f"and i64 {group}, {0xFFFFFFFF}")
    return Value(low, WIDE, True), Value(code.let(f"lshr i64 {group}, 32"), WIDE, True)


def fill(code: Code, purpose: int, count: int) -> None:
    """The normals of the step ``now``, row by row into ``z``, with a generator call to spare."""
    width = philox.width(code.dtype, purpose)
    size = philox.group_size(count, code.dtype, purpose)
    within = code.let(f"srem i64 %now, {size}")
    begin = code.let(f"mul i64 {within}, {count}")
    group = counter(code, code.let(f"sdiv i64 %now, {size}"))
    first = code.let(f"sdiv i64 {begin}, {width}")
    end = code.let(f"sdiv i64 {code.let(f'add i64 {begin}, {count + width - 1}')}, {width}")
    shift = code.let(f"sub i64 {width}, {begin}")
    with code.loop(first, end) as block:
        row = code.let(f"add i64 {code.let(f'mul i64 {block}, {width}')}, {shift}")
        flat = code.let(f"mul i64 {row}, {LANES}")
        with code.loop("0", str(LANES), code.lanes) as lane:
            chain = chains(code, "%base", lane)
            made = numbers(
                code, words(code, (Value(block, WIDE, True), *group, chain), purpose), purpose
            )
            to = code.let(f"add i64 {flat}, {lane}")
            for k, z in enumerate(made):
                code.store(z, code.at("%z", code.let(f"add i64 {to}, {k * LANES}")))
