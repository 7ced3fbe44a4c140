"""The program as a record: what depends on time only, its text, its digest."""

import dataclasses

import pytest

from simulators.lower import lower
from simulators.program import Instruction


def test_the_schedule_is_what_depends_on_the_step_counter_only(tools):
    program = lower(tools.setting(tools.annealed))
    ops = [i.op for i in program.schedule]
    assert sorted(ops) == ["add", "less", "pow"]
    assert not {"pow", "less"} & {i.op for i in program.body.instructions}
    assert set(program.scheduled) <= {i.result for i in program.schedule}


def test_nothing_is_scheduled_where_nothing_depends_on_time(tools):
    program = lower(tools.setting("momentum"))
    assert program.schedule == ()
    assert program.body.instructions == program.step.instructions


def test_the_digest_sees_every_instruction(tools):
    program = lower(tools.setting("sgd"))
    last = program.step.instructions[-1]
    wrong = Instruction(last.result, "sub", last.args, last.type)
    step = dataclasses.replace(program.step, instructions=(*program.step.instructions[:-1], wrong))
    assert dataclasses.replace(program, step=step).digest != program.digest
    assert lower(tools.setting("sgd")).digest == program.digest


def test_records_are_frozen(tools):
    with pytest.raises(dataclasses.FrozenInstanceError):
        lower(tools.setting("sgd")).sampler = "other"
