"""Temperatures, where a sampler has a momentum: kinetic and configurational."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sympy as sp

from sgtheory.errors import Absent
from sgtheory.independent.recheck import check_reading
from sgtheory.modepairs.longrun import Reading, read_entry, temperatures
from sgtheory.notation.derivation import Equation, Formula, Result, Step
from sgtheory.notation.sentence import say

if TYPE_CHECKING:
    from sgtheory.symbolic import SymbolicLaw


def temperature(law: SymbolicLaw) -> tuple[list[Step], list[Result]]:
    """The temperature of the position and of the velocity, wherever in the step it is read."""
    name = law.setting.sampler.name
    if law.setting.unrolled is not None:
        raise Absent("temperature", name, "its steps are not all alike; sgtheory law has numbers")
    readings = temperatures(law.pairs)
    if not readings:
        raise Absent("temperature", name, "it declares no momentum whose temperature that would be")
    words = (
        "The configurational temperature is $N lambda_i Sigma_ii$, the kinetic one the velocity's"
        " variance in units of that at temperature 1; both are means over the modes $i$."
    )
    equations = [Equation(_title(r), r.value) for r in readings]
    steps = [Step("Temperature", words, tuple(equations))]
    for reading in readings:
        if reading.after is not None:
            check = check_reading(
                law.pairs,
                reading.of,
                reading.after,
                sp.Add(*read_entry(law.pairs, reading.of, reading.after)),
            )
            if not check.passed:
                raise ArithmeticError(check.words())
            steps.append(Step("Check", say("After update {}, {}.", str(reading.after), check.words())))
    results = [Result("temperature configurational", equations[0])]
    for reading, equation in zip(readings[1:], equations[1:], strict=True):
        results.append(Result(f"temperature {_key(reading)}", equation, _told(reading)))
    return steps, results


def _told(reading: Reading) -> str:
    """Where in the step the kinetic temperature is read."""
    if reading.after is None:
        return "Its kinetic temperature at the end of a step, the mean of:"
    return f"Read after update {reading.after} of the step, the kinetic temperature is the mean of:"


def _key(reading: Reading) -> str:
    return f"kinetic {reading.of}" + (f" after {reading.after}" if reading.after is not None else "")


def _title(reading: Reading) -> Formula:
    if reading.of == "theta":
        return Formula(r"T^{\mathrm{conf}}_i", "T_conf_i")
    if reading.after is None:
        return Formula(r"T^{\mathrm{kin}}_i", "T_kin_i")
    after = reading.after
    return Formula(rf"T^{{\mathrm{{kin}}, {after}}}_i", f"T_kin_i after update {after}")
