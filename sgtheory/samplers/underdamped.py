"""Underdamped Langevin splittings: any word over A, B, O, such as BAOAB.

A moves the position with the velocity, B the velocity with the gradient, O is the exact flow of friction
and noise. A letter that occurs k times takes a k-th of the step each time.
"""

import re
from typing import Any

from sympy import Rational, exp, sqrt

from sgtheory.declare import Card, Family, N, Sampler, gradient, normal, positive, state
from sgtheory.errors import UnusableInput

theta, v = state("theta v")
eps, gamma, tau, c = positive("eps gamma tau c")


def splitting(word: str) -> Sampler:
    """The sampler of a word: its letters, one after the other."""
    if not re.fullmatch("[ABO]{1,12}", word) or set(word) != set("ABO"):
        raise UnusableInput(
            "a word of at most 12 letters with A, B and O in it", repr(word), "write BAOAB or OBABO"
        )
    share = {letter: Rational(1, word.count(letter)) for letter in "ABO"}
    updates: list[Any] = []
    noises: list[Any] = []
    kicks = 0
    for letter in word:
        if letter == "A":
            updates.append((theta, theta + share["A"] * eps * v))
        elif letter == "B":
            updates.append((v, v - share["B"] * eps * N * gradient(theta, kicks)))
            kicks += 1
        else:
            noises.append(normal(f"xi{len(noises)}"))
            updates.append((v, c * v + sqrt(tau) * sqrt(1 - c**2) * noises[-1]))
    return Sampler(
        state=(theta, v),
        noises=tuple(noises),
        updates=tuple(updates),
        where=((c, exp(-gamma * eps * share["O"])),),
        given=(c < 1,),
        defaults=((tau, 1),),
        kinetic=((v, 1),),
        limit="step",
        word=("word", word),
        convention=Card(
            loss="mean",
            drift="$eps N$ in all $B$ together",
            noise="$sqrt(tau*(1 - c^2))$ times a standard normal vector in each $O$",
            N="the update multiplies the mean gradient by $N$",
            temperature="$tau$ multiplies the variance of the injected noise; masses are 1",
            order=f"the letters of {word}, left to right; each $B$ has a minibatch of its own",
        ),
        cites=("leimkuhler2013",),
    )


UNDERDAMPED = Family("word", "BAOAB", ("BAOAB", "OBABO", "ABOBA", "OABAO", "BAO", "OBA"), splitting)
