"""Data beside a problem: what cannot be read is refused in one line, and no file is left open."""

import gc
import io
import warnings
import zipfile

import numpy as np
import pytest

from sgtheory.errors import UnusableInput
from sgtheory.problem import Problem

X = np.array([[1.0, 2.0], [0.5, -1.0], [3.0, 0.25]])
Y = np.array([1.0, 0.0, -2.0])
REGRESSION = {"model": "linear_regression", "data": "data.npz", "S": 1}


@pytest.fixture
def file(tmp_path):
    return tmp_path / "data.npz"


def read(file, **changes):
    return Problem.of({**REGRESSION, **changes}, file.parent)


def refused(file, **changes):
    """The message, of all three parts; and nothing stays open, not even until memory is collected."""
    gc.freeze()  # of what came before, nothing needs to be collected: that takes long in a large process
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        with pytest.raises(UnusableInput) as caught:
            read(file, **changes)
        error = caught.value
        del caught
        gc.collect()
    gc.unfreeze()
    assert not [w for w in seen if issubclass(w.category, ResourceWarning)]
    assert error.expected
    assert error.got
    assert error.remedy
    assert "\n" not in str(error)
    return str(error)


def saved(save=np.savez, **arrays):
    into = io.BytesIO()
    save(into, **arrays)
    return into.getvalue()


def member(name, content, **how):
    """An archive with one entry that NumPy did not write."""
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", **how) as archive:
        archive.writestr(name, content)
    return into.getvalue()


def flipped(content, at, bits=0xFF):
    return content[:at] + bytes([content[at] ^ bits]) + content[at + 1 :]


def huge():
    """An entry whose header promises 8 exabytes."""
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000000000,), }"
    header += b" " * (117 - len(header)) + b"\n"
    return member("X.npy", MAGIC + len(header).to_bytes(2, "little") + header)


MAGIC = b"\x93NUMPY\x01\x00"
GOOD, SMALL = saved(X=X, y=Y), saved(np.savez_compressed, X=X, y=Y)
START = 30 + SMALL[26] + SMALL[28]  # an entry has 30 bytes, its name, an extra, then its data
BROKEN = {
    "empty": b"",
    "text": b"X,y\n1,2\n",
    "the start of an archive": GOOD[:4],
    "half an archive": GOOD[: len(GOOD) // 2],
    "no directory": GOOD[:-22],
    "one byte wrong": flipped(GOOD, GOOD.index(X.tobytes())),
    "one byte wrong in compressed data": flipped(SMALL, SMALL.index(b"y.npy") - 40),
    "no compressed data": SMALL[:START] + b"\xff" + SMALL[START + 1 :],
    "an entry that ends early": member("X.npy", GOOD[GOOD.index(MAGIC) :][:140]),
    "an entry without shape": member("X.npy", MAGIC + b"\x02\x00{}"),
    "more than any memory": huge(),
    "pickled objects": saved(X=np.array([[1, None]], dtype=object), y=Y[:1]),
    "an array before an archive": GOOD[GOOD.index(MAGIC) :][:176] + GOOD,
    "half a pickle": b"\x80\x04\x95",
}


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN)
def test_a_broken_file_is_refused(file, content):
    file.write_bytes(content)
    message = refused(file)
    assert "data.npz" in message
    assert "numpy.savez" in message


@pytest.mark.parametrize("cut", range(0, len(GOOD), 37))
def test_a_file_cut_anywhere_is_refused(file, cut):
    file.write_bytes(GOOD[:cut])
    refused(file)


def test_an_encrypted_file_is_refused(file):
    flags = GOOD.index(b"PK\x01\x02") + 8  # of the first entry of the directory
    file.write_bytes(flipped(GOOD, flags, bits=1))
    assert "encrypted" in refused(file)


def test_no_file_a_folder_and_a_single_array(file):
    assert refused(file).endswith("check the path")
    file.mkdir()
    assert "data.npz" in refused(file)
    alone = file.with_suffix(".npy")
    np.save(alone, X)
    assert "data.npy: no archive; save it with numpy.savez" in refused(file, data=alone.name)
    assert '"data" as text in a problem; got 3' in refused(file, data=3)
    assert "null" in refused(file, data="a\0b")


@pytest.mark.parametrize(
    "array",
    [X + 0j, X + 1j, X.astype("complex64"), X.astype(str), X.astype("S"), X.astype("M8[s]"),
     X.astype("m8[s]"), np.zeros(3, dtype=[("a", float), ("b", float)])],
    ids=lambda a: str(a.dtype),
)  # fmt: skip
def test_only_real_numbers_are_numbers(file, array):
    np.savez(file, X=array, y=Y)
    assert f"real numbers in X; got {array.dtype} in data.npz; save it as float64" in refused(file)


def test_an_entry_that_is_no_array_is_refused(file):
    file.write_bytes(member("X", b"12"))
    assert "the array X in data.npz; got nothing" in refused(file)
    into = io.BytesIO(GOOD)
    with zipfile.ZipFile(into, "a") as archive:
        archive.writestr("extra.txt", b"12")
    file.write_bytes(into.getvalue())
    assert read(file).D == 2  # what nobody asked for stays unread
    np.savez(file, y=Y)
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr("X", b"12")
    assert "the array X in data.npz; got y;" in refused(file)


def test_shapes_and_names(file):
    for array, shape in ((Y, "(3,)"), (X[None], "(1, 3, 2)"), (X[:, :0], "(3, 0)")):
        np.savez(file, X=array, y=Y)
        assert f"X of shape (N, D); got shape {shape} in data.npz; reshape it" in refused(file)
    np.savez(file, X=X, y=Y[:, None])
    assert "y of shape (N,); got shape (3, 1)" in refused(file)
    np.savez(file, X=X)
    assert "the array y in data.npz; got X" in refused(file)
    np.savez(file)
    assert "the array X in data.npz; got nothing" in refused(file)
    np.savez(file, X=X, y=Y[:2])
    assert "as many entries as examples" in refused(file)
    np.savez(file, X=X[:0], y=Y[:0])
    assert "as many entries as examples" in refused(file)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, np.longdouble("1e400")])
def test_what_is_not_finite_is_named(file, bad):
    array = X.astype(np.longdouble)
    array[1, 0] = bad
    np.savez(file, X=array, y=Y)
    assert "finite numbers in X; got X[1, 0] in data.npz is not" in refused(file)


LATER = [pytest.param(kind, marks=pytest.mark.long) for kind in ("f8", "f2", "u1", "?")]


@pytest.mark.parametrize("kind", ["f4", "i8", *LATER])
@pytest.mark.strong
def test_real_numbers_of_all_kinds_are_read(file, kind):
    array = np.abs(X).astype(kind)
    for save in (np.savez, np.savez_compressed):
        save(file, X=array, y=Y, names=np.array(["of", "columns"]))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            problem = read(file)
            gc.collect()
        assert problem.data["X"].dtype == float
        np.testing.assert_array_equal(problem.data["X"], array.astype(float))
        np.testing.assert_array_equal(problem.data["y"], Y)
        assert problem.sizes["N"] == 3
        assert problem.D == 2


def test_rows_without_columns_are_refused():
    content = {"model": "gaussian_mean", "S": 1}
    with pytest.raises(UnusableInput, match="expected X with a column; got empty rows; write"):
        Problem.of({**content, "X": [[], []]})
    assert Problem.of({**content, "X": [1, 2]}).D == 1
