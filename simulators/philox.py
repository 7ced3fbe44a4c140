"""Random numbers without a generator: each is a function of (seed, purpose, chain, step, draw).

Philox4x32-10 (Salmon et al. 2011) turns a counter of four words and a key of two into four random
words. Here the key is (seed, purpose) and the counter (block, group low, group high, chain). A
block of words makes ``width`` normals: four in float32, two in float64. Steps are taken in groups
of the smallest size that leaves no normal unused, so nothing is wasted in one dimension.

This is the reference, in NumPy. Compiled kernels compute the same words; their normals differ
from these by at most ``ULPS`` units in the last place, because they use polynomials where NumPy
uses its library's logarithm, sine and cosine.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from sgtheory.errors import UnusableInput

Array = np.ndarray[Any, Any]

MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
WEYL = (0x9E3779B9, 0xBB67AE85)
ROUNDS = 10
LAWS = ("normal", "rademacher", "uniform", "student")  # "student:5" is 3 + 5
_STREAM = 256  # streams of a purpose are so far apart

# The logarithm's polynomial is good to 2 ulps (halved by the root), root and product add half an
# ulp each, sine or cosine 1.5: 3.5 in all, and half an ulp for the rounding of the reference.
ULPS = 4

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


def words(counter: tuple[Any, Any, Any, Any], key: tuple[int, int]) -> tuple[Array, ...]:
    """The four random words (uint32 arrays) of a counter under a key.

    >>> [hex(int(w)) for w in words((0, 0, 0, 0), (0, 0))]
    ['0x6627e8d5', '0xe169c58d', '0xbc57ac4c', '0x9b00dbd8']
    """
    c0, c1, c2, c3 = (np.asarray(c, np.uint64) for c in counter)
    k0, k1 = key
    for _ in range(ROUNDS):
        p0, p1 = c0 * np.uint64(MULTIPLIERS[0]), c2 * np.uint64(MULTIPLIERS[1])
        c0, c1, c2, c3 = (
            (p1 >> _HALF) ^ c1 ^ np.uint64(k0),
            p1 & _LOW,
            (p0 >> _HALF) ^ c3 ^ np.uint64(k1),
            p0 & _LOW,
        )
        k0, k1 = (k0 + WEYL[0]) & 0xFFFFFFFF, (k1 + WEYL[1]) & 0xFFFFFFFF
    return tuple(c.astype(np.uint32) for c in (c0, c1, c2, c3))


def stream(purpose: int, law: str) -> int:
    """The second word of the key: a purpose has numbers of its own for each law of noise.

    >>> stream(2, "normal"), law_of(stream(2, "uniform")), law_of(stream(2, "student:5"))
    (2, 'uniform', 'student:5')
    """
    name, _, degrees = law.partition(":")
    return purpose + _STREAM * (LAWS.index(name) + int(degrees or 0))


def law_of(purpose: int) -> str:
    """The law of a stream's numbers."""
    code = purpose // _STREAM
    student = LAWS.index("student")
    return LAWS[code] if code < student else f"student:{code - student}"


def purpose_of(stream: int) -> int:
    """The purpose that a stream serves.

    >>> purpose_of(stream(2, "uniform"))
    2
    """
    return stream % _STREAM


def width(dtype: Any, purpose: int = 0) -> int:
    """How many numbers of a stream a block of four words makes: a Student number takes two words."""
    numbers = 4 if np.dtype(dtype) == np.float32 else 2
    return numbers // 2 if law_of(purpose).startswith("student") else numbers


def group_size(normals: int, dtype: Any, purpose: int = 0) -> int:
    """The smallest number of steps whose numbers fill whole blocks.

    >>> [group_size(n, np.float32) for n in (1, 2, 3, 4, 10)], group_size(5, np.float64)
    ([4, 2, 4, 1, 2], 2)
    """
    wide = width(dtype, purpose)
    return wide // math.gcd(max(normals, 1), wide) if normals else 1


@dataclass(frozen=True)
class Address:
    """Where one number comes from: its block, its group of steps, and its place in the block."""

    block: int
    group: int
    lane: int


def address(step: int, draw: int, normals: int, dtype: Any, purpose: int = 0) -> Address:
    """The address of a step's draw, where each step draws ``normals`` numbers of the purpose.

    >>> address(step=5, draw=0, normals=1, dtype=np.float32)
    Address(block=0, group=1, lane=1)
    """
    size = group_size(normals, dtype, purpose)
    block, lane = divmod((step % size) * normals + draw, width(dtype, purpose))
    return Address(block, step // size, lane)


def check(seed: int, chains: int) -> None:
    """Refuse a seed or a number of chains that the counter cannot hold."""
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**32:
        raise UnusableInput("a whole seed from 0 to 4294967295", repr(seed), "choose another seed")
    if isinstance(chains, bool) or not isinstance(chains, int) or not 1 <= chains < 2**32:
        raise UnusableInput(
            "a whole number of chains from 1 to 4294967295", repr(chains), "change chains"
        )


def normals(seed: int, purpose: int, chains: Array, step: int, count: int, dtype: Any) -> Array:
    """The ``count`` numbers of a step, for the given chain numbers: (chains, count).

    They are standard normal, or of the stream's law with mean 0 and variance 1.
    """
    chains = np.asarray(chains, np.uint64)
    places = [address(step, draw, count, dtype, purpose) for draw in range(count)]
    made: dict[int, list[Array]] = {}
    for place in places:
        if place.block not in made:
            low, high = place.group & 0xFFFFFFFF, place.group >> 32
            random = words((place.block, low, high, chains), (seed, purpose))
            made[place.block] = _from_words(random, dtype, law_of(purpose))
    columns = [made[p.block][p.lane] for p in places]
    return np.stack(columns, axis=-1) if columns else np.empty((len(chains), 0), dtype)


def indices(
    seed: int, purpose: int, chains: Array, step: int, slot: int, size: int, count: int, replace: bool
) -> Array:  # fmt: skip
    """A minibatch of a step, for the given chain numbers: (chains, count), from ``size`` examples.

    A word w chooses among n examples number floor(w n / 2^32), so that no chance is off by more
    than 2^-32. Without replacement this is Floyd's algorithm: the s-th choice is among the first
    size - count + s + 1 examples; where it is taken already, the last of these is chosen. All
    examples are taken in their order.

    >>> indices(0, 3, np.arange(2), 0, 0, 10, 3, True).shape
    (2, 3)
    >>> sorted(indices(0, 3, np.arange(1), 0, 0, 4, 3, False)[0].tolist())
    [0, 1, 2]
    """
    chains = np.asarray(chains, np.uint64)
    if count == size and not replace:
        return np.broadcast_to(np.arange(size), (len(chains), size))
    chosen = np.empty((len(chains), count), np.int64)
    for s in range(count):
        block = slot * -(-count // 4) + s // 4
        random = words((block, step & 0xFFFFFFFF, step >> 32, chains), (seed, purpose))[s % 4]
        among = size if replace else size - count + s + 1
        new = (random.astype(np.uint64) * np.uint64(among) >> _HALF).astype(np.int64)
        if not replace:
            taken = (chosen[:, :s] == new[:, None]).any(axis=1)
            new = np.where(taken, among - 1, new)
        chosen[:, s] = new
    return chosen


def _from_words(random: tuple[Array, ...], dtype: Any, law: str) -> list[Array]:
    parts = list(random)
    if np.dtype(dtype) == np.float64:
        wide = [w.astype(np.uint64) for w in random]
        parts = [wide[0] << _HALF | wide[1], wide[2] << _HALF | wide[3]]
    name, _, degrees = law.partition(":")
    if name == "rademacher":
        top = parts[0].dtype.itemsize * 8 - 1
        return [np.where(w >> parts[0].dtype.type(top), -1.0, 1.0).astype(dtype) for w in parts]
    if name == "uniform":
        return [(math.sqrt(3) * (2 * unit(w, dtype) - 1)).astype(dtype) for w in parts]
    pairs = zip(parts[0::2], parts[1::2], strict=True)
    if name == "student":
        return [_student(u, v, dtype, int(degrees)) for u, v in pairs]
    return [z for u, v in pairs for z in box_muller(u, v, dtype)]


def unit(word: Array, dtype: Any) -> Array:
    """A number in (0, 1] from a random word, in the resolution of the type but as float64."""
    if np.dtype(dtype) == np.float32:
        # one rounding of the integer, one of the sum: 0 is impossible
        scaled = word.astype(np.float32).astype(np.float64) * 2.0**-32
        return (scaled + 2.0**-33).astype(np.float32).astype(np.float64)
    return (word >> np.uint64(11)).astype(np.float64) * 2.0**-53 + 2.0**-54


def _student(radius: Array, angle: Array, dtype: Any, degrees: int) -> Array:
    """Student's t, scaled to variance 1, by the polar method (Bailey 1994): one to a pair of words."""
    sine, _ = _turned(angle, dtype)
    growth = np.expm1(np.log(unit(radius, dtype)) * (-2.0 / degrees))
    return np.asarray((np.sqrt((degrees - 2) * growth) * sine).astype(dtype))


def box_muller(radius: Array, angle: Array, dtype: Any) -> tuple[Array, Array]:
    """Two normals from two random words (32 bits each for float32, 64 for float64).

    The radius uses every bit that the float can hold, so the tail reaches 6.7 (8.6) standard
    deviations. The top two bits of the angle are a quadrant, the rest a signed eighth of a turn.
    """
    first, second = _turned(angle, dtype)
    r = np.sqrt(-2.0 * np.log(unit(radius, dtype)))
    return (r * first).astype(dtype), (r * second).astype(dtype)


def _turned(angle: Array, dtype: Any) -> tuple[Array, Array]:
    """The sine and the cosine of a random angle, in an order that the quadrant chooses."""
    if np.dtype(dtype) == np.float32:
        quadrant = (angle >> np.uint32(30)).astype(np.int64)
        rest = (angle << np.uint32(2)).view(np.int32).astype(np.float32).astype(np.float64)
        turn = rest * (math.pi / 2 / 2.0**32)
    else:
        quadrant = (angle >> np.uint64(62)).astype(np.int64)
        turn = (angle << np.uint64(2)).view(np.int64).astype(np.float64) * (math.pi / 2 / 2.0**64)
    sine, cosine = np.sin(turn), np.cos(turn)
    odd, negative = quadrant % 2 == 1, quadrant >= 2
    first = np.where(odd, cosine, sine) * np.where(negative, -1.0, 1.0)
    second = np.where(odd, sine, cosine) * np.where(negative ^ odd, -1.0, 1.0)
    return first, second
