"""The machine code of the hot loops: no longer than it was, and nothing spilled."""

import dataclasses

import pytest

from benchmarks import sass
from benchmarks.kernels import bound_of
from benchmarks.toolchain import Toolchain
from simulators.cuda import emit

TOOLS = Toolchain.find()
STORED = sass.stored()
NAMES = list(sass.names())


@pytest.fixture(scope="module")
def loop_of():
    """The hot loop of a text; skips where there is nothing to compile or to read it with."""
    if missing := TOOLS.missing():
        pytest.skip(f"not installed: {missing}")
    if TOOLS.version().split(".")[0] != STORED["compiler"].split(".")[0]:
        pytest.skip(f"counts are of compiler {STORED['compiler']}, here is {TOOLS.version()}")

    def loop(text, steps, folder, options=()):
        compiled = TOOLS.compile(text, sass.ARCHITECTURE, folder, options)
        return sass.count(compiled, "advance_groups", steps)

    return loop


@pytest.mark.strong
@pytest.mark.parametrize("name", NAMES, ids=" ".join)
def test_no_loop_has_grown_or_spills(loop_of, name, tmp_path):
    found = loop_of(*sass.text_of(*name), tmp_path)
    assert sass.complaints(found, STORED["loops"][" ".join(name)]) == []
    # two thread blocks fit into a multiprocessor's registers
    assert found.registers * emit.RESIDENT * emit.THREADS <= 2**16


@pytest.mark.strong
def test_a_familys_constants_stay_in_registers(loop_of, tmp_path):
    """The loop of one problem has them from constant memory; that of many reads nothing either."""
    layout = emit.layout(bound_of("sgd", 10, "float32"))
    found = loop_of(emit.source(layout, form=emit.FAMILY), layout.fused, tmp_path)
    assert sass.complaints(found, STORED["loops"]["W1 float32 exact"]) == []
    assert not [op for op in found.counts if op in ("LD", "LDG", "LDS", "LDL")]


def test_every_kernel_is_counted():
    assert set(STORED["loops"]) == {" ".join(n) for n in NAMES}


@pytest.mark.strong
def test_a_loop_short_of_registers_is_noticed(loop_of, tmp_path):
    name = ("W1", "float32", "exact")
    text, steps = sass.text_of(*name)
    bounds = f"__launch_bounds__({emit.THREADS}, {emit.RESIDENT}) "
    assert bounds in text
    found = loop_of(text.replace(bounds, ""), steps, tmp_path, ["--maxrregcount=32"])
    assert found.registers <= 32
    complaints = sass.complaints(found, STORED["loops"][" ".join(name)])
    assert any("local memory" in c for c in complaints)
    assert any("instructions" in c for c in complaints)


@pytest.mark.strong
def test_a_root_with_branches_is_noticed(loop_of, tmp_path):
    name = ("W5", "float32", "exact")
    text, steps = sass.text_of(*name)
    found = loop_of(text.replace("near_root(lg", "root(lg"), steps, tmp_path)
    assert sass.complaints(found, STORED["loops"][" ".join(name)])


def test_a_loop_of_other_steps_is_noticed():
    loop = STORED["loops"]["W1 float32 exact"]
    assert sass.complaints(loop, loop) == []
    assert sass.complaints(dataclasses.replace(loop, steps=1), loop)


def test_parsing():
    text = """
\t.section\t.text.other,"ax",@progbits
.L_x_0:
        /*0000*/                   FADD R1, R1, R1 ;
\t.section\t.text.mine,"ax",@progbits
.L_x_1:
        /*0000*/                   IMAD.WIDE.U32 R1, R1, R1, RZ ;
.L_x_2:
        /*0010*/              @!P0 FFMA R1, R1, R1, R1 ;
        /*0020*/               @P0 BRA `(.L_x_2) ;
        /*0030*/                   BRA `(.L_x_1) ;
        /*0040*/                   EXIT ;
.L_x_3:
        /*0050*/                   BRA `(.L_x_3);
"""
    expected = ["IMAD.WIDE", "FFMA", "BRA", "BRA", "EXIT", "BRA"]
    assert sass.parse(text, "mine") == (expected, [(1, 2), (0, 3)])
