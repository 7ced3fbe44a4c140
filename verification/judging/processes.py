"""Work by several processes: the one way to start them, and they end with their parent, however it ends.

Each worker watches a pipe whose other end its parent holds. SIGTERM, SIGKILL and a closed terminal
close it, and the worker leaves at once; Ctrl-C is the parent's to answer, and it ends its workers.
Temporary files of workers lie in a folder of their team, which goes with it or with the last of them.
"""

from __future__ import annotations

import gc
import os
import pickle
import shutil
import signal
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from multiprocessing import current_process, get_context, parent_process, spawn
from multiprocessing.connection import Connection, wait
from multiprocessing.reduction import ForkingPickler
from os import _exit  # its own: while a file of the user's is loaded, os._exit only raises
from types import ModuleType
from typing import Any, TypeVar

from sgtheory import rooms
from sgtheory.errors import UnusableInput, told
from sgtheory.files.writing import TemporaryFolder

T = TypeVar("T")

_ENDING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
_AHEAD = 2  # tasks that a worker has: the one that it does, and the next, so that it need not wait


def each(
    work: Callable[..., T],
    tasks: Sequence[tuple[Any, ...]],
    jobs: int = 1,
    lost: Any = None,
    about: Sequence[Any] = (),
) -> Iterator[T]:
    """What a function makes of each task, a tuple of arguments, in the order of the tasks.

    With more than one job, function, arguments and results travel: they are of modules that a new
    process can import. With one, all happens here, unless there is something to say of a task under
    which its worker dies, ``lost``: then one worker does it all. Without it, the run ends there.
    What each task is ``about``, if anything: a worker first has those about what it has had before.

    >>> list(each(pow, [(2, 3), (3, 2)]))
    [8, 9]
    """
    if current_process().daemon or (lost is None and min(jobs, len(tasks)) < 2):  # a worker has none
        yield from (work(*task) for task in tasks)
        return
    left, done = deque(enumerate(tasks)), dict[int, tuple[bool, Any]]()
    known: dict[Any, Any] = {}  # which worker had a task about something first
    with _Team(work, min(jobs, len(tasks))) as team:
        for k in range(len(tasks)):
            while k not in done:
                for worker in list(team.held) * _AHEAD:  # in turn, so that every worker begins
                    if left and worker in team.held and len(team.held[worker]) < _AHEAD:
                        task = _next(left, worker, about, known)
                        team.held[worker].append(task)
                        if not _passed(worker.send, (task[0], _packed(task[1]))):
                            left.extendleft(reversed(_buried(team, worker, done, lost)))
                ready = set(wait([worker for worker, held in team.held.items() if held]))
                for worker in [w for w in team.held if w in ready]:
                    answer = _passed(worker.recv)
                    if answer:
                        index, fine, value = answer[0]
                        done[index] = fine, value
                        team.held[worker].popleft()
                    else:
                        left.extendleft(reversed(_buried(team, worker, done, lost)))
            fine, value = done.pop(k)
            if not fine:
                raise value
            yield value


def _next(
    left: deque[tuple[int, Any]], worker: Any, about: Sequence[Any], known: dict[Any, Any]
) -> tuple[int, Any]:
    """The first task that is left about what a worker knows, or no other; else the first of all."""
    fitting = (
        task
        for task in left
        if not about or about[task[0]] is None or known.get(about[task[0]], worker) is worker
    )
    task = next(fitting, left[0])
    left.remove(task)
    if about:
        known.setdefault(about[task[0]], worker)
    return task


def _passed(what: Callable[..., Any], *given: Any) -> tuple[Any, ...]:
    """What is sent or received, in a tuple; an empty one if the worker is no more."""
    try:
        return (what(*given),)
    except (EOFError, ConnectionError):
        return ()


def _buried(team: _Team, worker: Any, done: dict[int, tuple[bool, Any]], lost: Any) -> Sequence[Any]:
    """A worker died under the first task that it had: another takes its place, and has the rest."""
    (index, _), *rest = team.replaced(worker)
    if lost is None:
        raise UnusableInput(
            "worker processes that live until their work is done",
            "one that was ended, perhaps because memory or threads ran out",
            "run again with fewer --jobs; what was kept until now is not made again",
        )
    done[index] = True, lost
    return rest


class _Team:
    """Workers for as long as a block runs, and what each has; left early, they do not finish it."""

    def __init__(self, work: Callable[..., Any], jobs: int) -> None:
        self.work, self.jobs = work, jobs
        self.held: dict[Connection[Any, Any], deque[Any]] = {}  # by the pipe to the worker
        self.members: dict[Connection[Any, Any], Any] = {}
        self.room: Any = None  # a folder where workers have their temporary files

    def __enter__(self) -> _Team:
        try:
            with _later():
                self.room = TemporaryFolder("sgtheory-")
            for _ in range(self.jobs):
                self._start()
        except BaseException:
            self._leave(at_once=True)
            raise
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        self._leave(at_once=kind is not None)

    def replaced(self, worker: Any) -> deque[Any]:
        """What a worker that died had; another has begun."""
        held = self.held.pop(worker)
        worker.close()
        self.members.pop(worker).join()
        self._start()
        return held

    def _start(self) -> None:
        context = get_context("spawn")
        ours, theirs = context.Pipe()
        with _later(), _deaf(), _one_order(), _no_main() as main:
            member = context.Process(target=_serve, args=(theirs, self.room.name, main), daemon=True)
            member.start()
            self.held[ours], self.members[ours] = deque(), member
        theirs.close()
        _passed(ours.send, _packed(self.work))

    def _leave(self, at_once: bool) -> None:
        try:
            for pipe, member in self.members.items():
                if at_once:
                    member.kill()
                pipe.close()
            for member in self.members.values():
                member.join()
        finally:  # also where Ctrl-C comes now
            if self.room is not None:
                self.room.cleanup()


@contextmanager
def _one_order() -> Iterator[None]:
    """Processes started here put sets in one order, so that runs find the same; a given seed stays."""
    given = "PYTHONHASHSEED" in os.environ
    os.environ.setdefault("PYTHONHASHSEED", "0")
    try:
        yield
    finally:
        if not given:
            del os.environ["PYTHONHASHSEED"]


@contextmanager
def _no_main() -> Iterator[dict[str, str]]:
    """Processes started here do not run the user's script again; where it is, if it is a file.

    It may begin this very work, or have come from standard input, where nothing is left of it.
    """
    known = spawn.get_preparation_data("")
    path = known.get("init_main_from_path")
    name = known.get("init_main_from_name")
    found = {"init_main_from_name": name} if name else {}
    if path is not None and os.path.isfile(path):
        found = {"init_main_from_path": path}
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    if rooms.pinned():  # then they are in the worker too, before it looks for anything of ours
        sys.modules["__main__"].__spec__ = find_spec(rooms.__name__)
    try:
        yield found
    finally:
        sys.modules["__main__"] = main


@contextmanager
def _later() -> Iterator[None]:
    """A signal waits until a process has begun: half begun, it would tell its terminal what it lacks."""
    if threading.current_thread() is not threading.main_thread():  # there no signal is answered
        yield
        return
    heard: list[int] = []
    handlers = {number: signal.getsignal(number) for number in _ENDING}
    before = {number: handler for number, handler in handlers.items() if callable(handler)}
    for number in before:
        signal.signal(number, lambda number, _: heard.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in heard[:1]:
            signal.raise_signal(number)


@contextmanager
def _deaf() -> Iterator[None]:
    """Processes that are started here never see Ctrl-C, not even while they import."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # its own start would undo the mask
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _packed(what: Any) -> bytes:
    return bytes(ForkingPickler.dumps(what))


def _unpacked(packed: bytes, main: dict[str, str]) -> Any:
    """What was sent; the user's script is run, under another name, where something of it is needed."""
    if b"__main__" in packed:
        if not main:
            raise UnusableInput(
                "functions and classes that another process can import",
                "those of a script that is no file",
                "put them into a file, or take jobs=1",
            )
        spawn.prepare(dict(main))
    return pickle.loads(packed)


def _serve(pipe: Connection[Any, Any], folder: str, main: dict[str, str]) -> None:
    """The worker: task after task, until the parent closes the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tempfile.tempdir = folder
    try:
        threading.Thread(target=_leave_with_parent, args=(folder,), daemon=True).start()
    except RuntimeError:  # no thread is left: the parent says what that means
        _exit(1)
    gc.set_threshold(50_000, 20, 50)  # a sixth of the time otherwise: formulas stay, and are not garbage
    with suppress(EOFError, ConnectionError):
        work = pipe.recv()
        while True:
            index, task = pipe.recv()
            pipe.send_bytes(_answer(index, work, task, main))


def _answer(index: int, work: bytes, task: bytes, main: dict[str, str]) -> bytes:
    """A result, or what was raised, as it travels; what cannot travel is told in words."""
    try:
        arguments = _unpacked(task, main)
        return pickle.dumps((index, True, _unpacked(work, main)(*arguments)))
    except Exception as error:
        try:
            answer = pickle.dumps((index, False, error))
            pickle.loads(answer)
        except Exception:
            words = RuntimeError(told(error))
            answer = pickle.dumps((index, False, words))
        return answer


def _leave_with_parent(folder: str) -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()  # until the pipe from the parent closes
        shutil.rmtree(folder, ignore_errors=True)  # the last of those that leave finds it whole
        _exit(1)
