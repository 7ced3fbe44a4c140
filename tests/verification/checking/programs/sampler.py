"""SGHMC and its broken twins in the Python standard library, over lines of JSON.

The first argument says which: ``right``, or what is wrong.
"""

import json
import math
import os
import random
import sys
import time

WHICH = sys.argv[1]


def say(**message):
    print(json.dumps(message), flush=True)


def gradient(theta):
    say(gradient=theta)
    return json.loads(sys.stdin.readline())["gradient"]


def rows(function, *matrices):
    return [[function(*xs) for xs in zip(*row, strict=True)] for row in zip(*matrices, strict=True)]


def step(theta, v, eta, alpha, beta, tau, N, source):
    scale = math.sqrt(2 * (alpha - beta) * eta * (tau**2 if WHICH == "temperature" else tau))
    found = gradient(theta)
    moved = rows(lambda x, u: x + u, theta, v)
    v = rows(lambda u, g: (1 - alpha) * u - eta * N * g + scale * source.gauss(0, 1), v, found)
    return moved, v


def broken(theta):
    """What is said instead of an answer."""
    if WHICH == "malformed":
        print("here you are", flush=True)
    if WHICH == "list":
        print("[1, 2]", flush=True)
    if WHICH == "silent":
        time.sleep(1000)
    if WHICH == "exits":
        print("cannot find my data", file=sys.stderr)
        sys.exit(4)
    if WHICH == "closes":
        os.close(1)
        time.sleep(1000)
    if WHICH == "shape":
        say(theta=[row[:-1] for row in theta])
    if WHICH == "ragged":
        say(theta=[*theta[1:], theta[0][:-1]])
    if WHICH == "words":
        say(theta="north")
    if WHICH == "endless":
        while True:
            sys.stdout.write("0" * 100_000)
    if WHICH == "other":
        say(position=theta)
    if WHICH == "error":
        say(error="the license has expired")
    if WHICH == "nan":
        say(theta=[[math.nan] * len(row) for row in theta])


def main():
    if WHICH == "mute":
        time.sleep(1000)
    say(sgtheory=2 if WHICH == "future" else 1)
    for line in sys.stdin:
        message = json.loads(line)
        if message["do"] == "start":
            theta, v = message["states"]["theta"], message["states"]["v"]
            asked = {n: message["params"][n] for n in ("eta", "alpha", "beta", "tau", "N")}
            asked["source"] = random.Random(None if WHICH == "seedless" else message["seed"])
        elif WHICH in ("right", "temperature", "seedless"):
            theta, v = step(theta, v, **asked)
        else:
            broken(theta)
            continue
        say(theta=theta)


main()
