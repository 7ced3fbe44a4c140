"""How the command ends when it is told to: quietly, what it keeps in order, and within two seconds."""

from __future__ import annotations

import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from os import _exit  # its own: while a file of the user's is loaded, os._exit only raises

from sgtheory.errors import Ended

_PATIENCE = 1.7  # seconds that a run may take to leave by itself


@contextmanager
def told_to_end(say: Callable[[str, int], int]) -> Iterator[None]:
    """SIGTERM and a closed terminal leave as Ctrl-C does, with 128 and the number of the signal.

    Ctrl-C is raised here, whoever answers it before and afterwards; an ignored one stays so.
    Where Python does not come to answer (a long computation in a library), a thread ends the process
    after two seconds: files appear whole or not at all, so nothing is lost that was finished.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGHUP"):
        yield
        return
    hearing, woken = socket.socketpair()
    woken.setblocking(False)
    before = {s: signal.getsignal(s) for s in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)}
    hook = sys.unraisablehook
    listener = threading.Thread(target=_impatient, args=(hearing, say), daemon=True)
    try:
        listener.start()
    except RuntimeError:  # the system has no thread left
        hearing.close()
        woken.close()
        raise
    old = signal.set_wakeup_fd(woken.fileno(), warn_on_full_buffer=False)
    try:
        sys.unraisablehook = lambda told: None if _signal_behind(told.exc_value) else hook(told)
        for number, handler in before.items():
            if number == signal.SIGINT and callable(handler):
                signal.signal(number, signal.default_int_handler)
            elif handler == signal.SIG_DFL:  # nohup ignores a closed terminal, and so do we then
                signal.signal(number, _leave)
        yield
    finally:
        sys.unraisablehook = hook
        for number, handler in before.items():
            if handler is not None:  # else it is not Python's
                signal.signal(number, handler)
        signal.set_wakeup_fd(old)
        woken.close()  # the listener's socket ends, and with it the listener


@contextmanager
def not_mistaken() -> Iterator[None]:
    """A signal that a library took for a failure of its own is a signal again.

    What is raised while a compiled module is loaded comes out of it as an ImportError.
    """
    try:
        yield
    except Exception as error:
        told = _signal_behind(error)
        if told is None:
            raise
        raise told from None


def _signal_behind(error: BaseException | None) -> BaseException | None:
    while error is not None and not isinstance(error, Ended | KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error


def _leave(number: int, frame: object) -> None:
    raise Ended(128 + number)


def _impatient(hearing: socket.socket, say: Callable[[str, int], int]) -> None:
    """Wait for a signal that ends; then give the run its time, and no more."""
    ends = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    with hearing:
        number = 0
        while number not in ends:
            heard = hearing.recv(1)
            if not heard:
                return
            number = heard[0]
        hearing.settimeout(_PATIENCE)
        with suppress(TimeoutError):
            while hearing.recv(1):
                pass
            return  # it has left
    with suppress(Exception):
        if number == signal.SIGINT:
            say("stopped", 130)
    _exit(128 + number)
