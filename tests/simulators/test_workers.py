"""Threads: order, errors, and a clean stop."""

import threading
import time

import pytest

from simulators.workers import Meter, in_order


def test_results_come_in_order_whatever_finishes_first():
    def task(k):
        return lambda: (time.sleep(0.01 * (k % 3)), k)[1]

    assert list(in_order([task(k) for k in range(20)], 4, Meter(20))) == list(range(20))


def test_an_error_in_a_worker_is_raised_and_the_others_stop():
    meter, started, before = Meter(1000), [], threading.active_count()

    def work():
        started.append(1)
        time.sleep(0.01)
        meter.add(1)

    def fail():
        raise ZeroDivisionError

    tasks = [fail, *[work] * 100]
    with pytest.raises(ZeroDivisionError):
        list(in_order(tasks, 2, meter))
    assert len(started) < 20
    assert threading.active_count() == before


def test_an_interruption_in_the_display_stops_everything():
    def interrupt(done, total):
        raise KeyboardInterrupt

    meter, before = Meter(10, interrupt), threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        list(in_order([lambda: meter.add(1)] * 10, 2, meter))
    assert threading.active_count() == before


def test_the_display_reaches_the_total():
    shown = []
    meter = Meter(7, lambda done, total: shown.append((done, total)))
    list(in_order([lambda: meter.add(1)] * 7, 2, meter))
    assert shown[-1] == (7, 7)
    assert shown == sorted(shown)
