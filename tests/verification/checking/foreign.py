"""Targets that misbehave outside the law: at import, in their process, in what they print."""

import contextlib
import os
import signal
import sys
import time

import numpy as np

if os.environ.get("SGTHEORY_TEST_HANGS_AT_IMPORT"):
    time.sleep(1_000)
if os.environ.get("SGTHEORY_TEST_ENDS_AT_IMPORT"):
    sys.exit("no licence")
print("a banner at import")


def sgd(theta, gradient, rng, eps, H):
    return theta - eps * gradient(theta) @ H


def talks(theta, gradient, rng, eps, H):
    """More than a pipe holds, in every step, on both streams, and no text."""
    os.write(1, b"\xff\x00 talk" * 50_000)
    print("x" * 100_000, file=sys.stderr, flush=True)
    return sgd(theta, gradient, rng, eps, H)


def closes_its_streams(theta, gradient, rng, eps, H):
    for number in (0, 1, 2):
        with contextlib.suppress(OSError):
            os.close(number)
    os.chdir("/")
    return sgd(theta, gradient, rng, eps, H)


def faults(theta, gradient, rng, eps=0.0):
    """What an extension does that reads where nothing is."""
    import ctypes

    return ctypes.string_at(0)


def kills_itself(theta, gradient, rng, eps=0.0):
    os.kill(os.getpid(), signal.SIGKILL)


def exits(theta, gradient, rng, eps=0.0):
    sys.exit(0)


def eats(theta, gradient, rng, eps=0.0):
    held = []
    while True:
        held.append(np.ones(2_000_000))
        time.sleep(0.01)


def hangs_with_children(theta, gradient, rng, eps=0.0):
    """Tells the number of a process that it started, in a file beside it."""
    import subprocess

    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
    with open(os.environ["SGTHEORY_TEST_NOTE"], "w") as note:
        note.write(f"{os.getpid()} {child.pid}\n")
    time.sleep(1_000)


def slow(theta, gradient, rng, eps, H):
    time.sleep(0.1)
    return sgd(theta, gradient, rng, eps, H)
