"""A Dask cluster: the local run's bits, whoever carries them out and whoever dies; clear refusals."""

import os
import pickle
import signal
import sys
import time
from dataclasses import replace

import numpy as np
import pytest

from sgtheory.errors import Absent, UnusableInput
from simulators import cluster as room
from simulators import plan, provenance, remote
from simulators.bind import bind
from simulators.cluster import Cluster, joined
from simulators.engines import engine_for
from simulators.ensemble import _Run, run, simulate
from simulators.forecast import bytes_needed, check_memory
from simulators.lower import lower
from simulators.moments import Monomials
from simulators.plan import Plan
from simulators.record import Recording, lagged, moments
from simulators.rewrites import FOLD, drop_identities
from simulators.workers import Meter

distributed = pytest.importorskip("distributed")

D, STEPS = 2, 2_000
CHAINS = 10_001


@pytest.fixture(scope="module")
def started():
    """Clusters of processes on this machine, by their number of workers; each is started once."""
    made = {}

    def start(workers):
        if workers not in made:
            made[workers] = distributed.LocalCluster(
                n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=":0"
            )
        return made[workers]

    yield start
    for cluster in made.values():
        cluster.close()


@pytest.fixture
def three(started):
    """A cluster of three workers, all alive."""
    cluster = started(3)
    with distributed.Client(cluster, set_as_default=False) as client:
        client.wait_for_workers(3, timeout=30)
    return cluster


@pytest.fixture
def ask(three):
    """Run a function in workers' processes."""
    with distributed.Client(three, set_as_default=False) as client:
        yield client.run


@pytest.fixture
def patched(three):
    """Change a module in the processes of some workers, for one test."""
    with distributed.Client(three, set_as_default=False) as client:
        undone = []

        def patch(change, undo, workers=None):
            client.run(change, workers=workers)
            undone.append((undo, workers))

        yield patch
        for undo, workers in undone:
            client.run(undo, workers=workers)


def go(tools, steps=STEPS, chains=CHAINS, **how):
    return simulate(
        tools.setting("momentum"), tools.values(D), chains=chains, steps=steps,
        **{"seed": 5, "device": "cpu", **how},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("workers", "chunk"),
    [pytest.param(1, None, marks=pytest.mark.strong), (3, None), (3, 128), (3, 4_000)],
)
def test_the_digest_is_the_local_one(tools, started, workers, chunk):
    local = go(tools)
    far = go(tools, cluster=started(workers).scheduler_address, chunk=chunk)
    assert far.digest == local.digest
    assert far.mean["v"].tolist() == local.mean["v"].tolist()
    assert (far.device, far.source) == ("cpu", local.source)
    assert 0 < far.cpu_seconds < 100


def test_recordings_are_the_local_ones(tools, three):
    recordings = [Recording(moments("theta", D) + lagged("v", D, (1, 40)), 60, 3_000, 2)]
    how = {"steps": 3_000, "chains": 3_000, "record": recordings}
    local = go(tools, **how)
    for chunk in (None, 640):
        far = go(tools, cluster=three.scheduler_address, chunk=chunk, **how)
        assert far.digest == local.digest
        assert far.recorded[0].mean.tolist() == local.recorded[0].mean.tolist()
    assert go(tools, steps=3_000, chains=3_000, cluster=three.scheduler_address).digest != local.digest


def test_a_given_centre_travels(tools, three):
    local = go(tools, centre=[1, 2, 3, 4])
    assert go(tools, centre=[1, 2, 3, 4], cluster=three.scheduler_address).digest == local.digest


def test_a_chunk_with_another_seed_changes_the_digest(tools, three, patched):
    """The wrong twin: one worker of three draws other numbers."""

    def change():
        from dataclasses import replace

        import simulators.ensemble as e

        e.honest = e._Run.chunk

        def chunk(self, *place):
            return e.honest(replace(self, plan=replace(self.plan, seed=6)), *place)

        e._Run.chunk = chunk

    def undo():
        import simulators.ensemble as e

        e._Run.chunk = e.honest

    patched(change, undo, workers=[next(iter(three.scheduler.workers))])
    assert go(tools, cluster=three.scheduler_address, chunk=256).digest != go(tools).digest


@pytest.mark.strong
@pytest.mark.parametrize("allowed", [3, pytest.param(0, marks=pytest.mark.long)])
def test_a_worker_that_is_killed_changes_nothing(tools, three, ask, monkeypatch, allowed):
    """With no failure allowed Dask gives the piece up, and it is submitted again."""
    monkeypatch.setattr(three.scheduler, "allowed_failures", allowed)
    submitted, honest = [], Cluster._submit
    monkeypatch.setattr(Cluster, "_submit", lambda s, p: submitted.append(p) or honest(s, p))
    processes, killed = ask(os.getpid), []

    def kill(done, total):
        """One that has a piece, and another waiting."""
        busy = [a for a, worker in three.scheduler.workers.items() if len(worker.processing) > 1]
        if total * 0.1 < done < total and busy and not killed:
            killed.append(processes[busy[0]])
            os.kill(processes[busy[0]], signal.SIGKILL)

    steps = 20_000
    far = go(tools, steps, cluster=three.scheduler_address, chunk=1_000, progress=kill)
    assert killed
    assert far.digest == go(tools, steps).digest
    pieces = 1 + -(-(-(-CHAINS // 64) - 1) // -(-1_000 // 64))
    assert len(submitted) == pieces if allowed else len(submitted) > pieces


@pytest.mark.strong
def test_a_run_that_is_broken_off_goes_on_anywhere(tools, three, tmp_path):
    whole = go(tools)

    def stop(done, total):
        if done > total / 3:
            raise KeyboardInterrupt

    how = {"chunk": 256, "save_every": 0.0}
    for name, address in (("there", three.scheduler_address), ("here", None)):
        folder = tmp_path / name
        with pytest.raises(KeyboardInterrupt):
            go(tools, cluster=three.scheduler_address, checkpoint=folder, progress=stop, **how)
        shown = []
        again = go(
            tools, cluster=address, checkpoint=folder,
            progress=lambda done, total, shown=shown: shown.append(done / total), **how,
        )  # fmt: skip
        assert again.digest == whole.digest
        assert shown[0] > 0.1  # it did not begin again


def executing(dask_worker):
    return dask_worker.state.executing_count


def test_an_interruption_stops_what_is_in_flight(tools, three, ask):
    begun = []

    def interrupt(done, total):
        if any(ask(executing).values()):
            begun.append(time.monotonic())
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):  # it would take hours
        go(tools, 10**9, cluster=three.scheduler_address, progress=interrupt)
    while any(ask(executing).values()):
        assert time.monotonic() - begun[0] < 20
        time.sleep(0.1)
    assert not [k for k in three.scheduler.tasks if "piece" in k]


def test_few_pieces_are_in_flight_and_progress_is_shown(tools, three, patched):
    shown, most = [], []

    def look(done, total):
        shown.append(done)
        until = time.monotonic() + 5  # what is let go is forgotten a moment later
        while len(three.scheduler.tasks) > 2 * 3 + 2 and time.monotonic() < until:
            time.sleep(0.01)
        most.append(len(three.scheduler.tasks))

    go(tools, 100, chains=4_000, cluster=three.scheduler_address, chunk=64, progress=look)
    assert 3 < max(most) <= 2 * 3 + 2  # and the recipe
    assert shown[-1] == 100 * 4_000
    patched(*(lambda s=s: setattr(remote, "_REPORT_EVERY", s) for s in (0.0, 0.5)))
    patched(*(lambda s=s: setattr(plan, "_OPERATIONS_A_CALL", s) for s in (1e7, 2e9)))

    def inside(done, total):
        if 0 < done < total:  # from within a piece: there is only one
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):  # it would take many seconds
        go(tools, 10**8, chains=64, cluster=three.scheduler_address, progress=inside)


def test_an_engine_is_made_once_in_a_process(tools, three, ask):
    def engines():
        return ask(lambda: [id(e) for e in remote._bench().engines.values()])

    go(tools, 1, cluster=three.scheduler_address)
    before = engines()
    go(tools, 2, cluster=three.scheduler_address)
    assert engines() == before
    simulate(
        tools.setting("momentum"), tools.values(D, eps="1/30"), chains=1, steps=1, device="cpu",
        cluster=three.scheduler_address,
    )  # fmt: skip
    assert engines() != before


def test_workers_with_other_versions_are_refused(tools, three, patched):
    def change():
        from simulators import provenance

        provenance.honest = provenance.versions
        provenance.versions = lambda: provenance.honest() | {"numpy": "1.0.0"}

    def undo():
        from simulators import provenance

        provenance.versions = provenance.honest

    patched(change, undo, workers=[list(three.scheduler.workers)[1]])
    with pytest.raises(UnusableInput, match=r"1\.0\.0 on tcp://.*; install the same") as error:
        go(tools, cluster=three.scheduler_address)
    assert error.value.expected == f"workers with numpy {np.__version__}"


def test_a_worker_that_joins_later_with_other_versions_refuses_the_work(tools):
    recipe = remote.Recipe.of(plain_bound(tools), "cpu")
    assert remote.engine_of(recipe).device == "cpu"
    older = replace(recipe, name="older", versions=provenance.versions() | {"llvmlite": "0.1"})
    with pytest.raises(UnusableInput, match="llvmlite"):
        remote.engine_of(older)


def with_shim():
    """The CUDA text built for the processor: a device type of its own, without a GPU."""
    import tempfile
    from pathlib import Path

    from simulators import remote
    from simulators.cuda.engine import CudaEngine
    from simulators.cuda.host import HostDevice

    remote.honest = remote.engine_for
    remote._bench().engines.clear()
    remote.engine_for = lambda bound, device, threads, normals: CudaEngine(
        bound, HostDevice(Path(tempfile.mkdtemp()))
    )


def without_shim():
    from simulators import remote

    remote.engine_for = remote.honest
    remote._bench().engines.clear()


def test_mixed_devices_are_refused_and_the_device_is_the_workers_question(
    tools, three, patched, host_engine
):
    first, *others = three.scheduler.workers
    how = {"steps": 20, "device": "auto", "cluster": three.scheduler_address}
    patched(with_shim, without_shim, [first])
    with pytest.raises(UnusableInput, match="cpu on 2 and cuda on 1"):
        go(tools, **how)
    patched(with_shim, without_shim, others)
    far = go(tools, seed=9, **how)
    bound = pickle.loads(remote.Recipe.of(plain_bound(tools), "auto").content)
    assert far.device == "cuda"
    assert far.digest == run(bound, host_engine(bound), CHAINS, 20, 9).digest


def plain_bound(tools):
    """What ``simulate`` binds."""
    values = tools.values(D)
    return bind(
        lower(tools.setting("momentum"), (drop_identities(values), FOLD), values.replacement), values
    )


def test_a_device_that_the_workers_lack_is_refused(tools, three):
    from simulators.cuda.devices import device_count

    if device_count():
        pytest.skip("there is a CUDA device")
    with pytest.raises(UnusableInput, match="none that CuPy can see on tcp"):
        go(tools, device="cuda", cluster=three.scheduler_address)
    with pytest.raises(UnusableInput, match=r"fast.* on tcp"):
        go(tools, normals="fast", dtype="float32", cluster=three.scheduler_address)


def test_the_driver_plans_as_the_workers_would(tools, three):
    engine = engine_for(plain_bound(tools), "cpu", 1, "exact")
    monomials = Monomials(engine.layout.size)
    with joined(three.scheduler_address, plain_bound(tools), "cpu", "exact", 10**7) as crew:
        far = crew.engine
    assert (far.workers, far.blocks_a_chunk(monomials)) == (3, plan.blocks_a_chunk(engine))
    # where steps are few, a piece is larger, for each costs some milliseconds
    assert replace(far, length=1).blocks_a_chunk(monomials) > 100 * far.blocks_a_chunk(monomials)
    for blocks in (1, 3, 64, 100):
        assert far.bytes_needed(blocks, monomials) == 3 * bytes_needed(engine, blocks)
        own = plan.steps_a_call(engine, blocks)
        assert own / 2 < far.steps_a_call(blocks) <= own
    poor = replace(far, bytes=10_000)
    check_memory(far, Plan.make(far, 10**6, 100, 1, None), False, True)
    with pytest.raises(UnusableInput, match="the workers' memory"):
        check_memory(poor, Plan.make(far, 10**6, 100, 1, None), False, True)


def test_a_time_limit_is_measured_on_the_workers(tools, three):
    with pytest.raises(UnusableInput, match="would fit"):
        go(tools, 10**9, cluster=three.scheduler_address, time_limit=60)
    far = go(tools, cluster=three.scheduler_address, time_limit=600)
    assert far.digest == go(tools).digest


def test_a_cluster_that_cannot_be_used_is_refused(tools, three, monkeypatch):
    monkeypatch.setattr(room, "_ANSWER_WITHIN", 1.0)
    worker = next(iter(three.scheduler.workers))
    for address, words in (
        ("tcp://127.0.0.1:1", "nothing that answers"),
        ("nonsense", "port number"),
        (worker, "a Worker"),
    ):
        with pytest.raises(UnusableInput, match=words):
            go(tools, cluster=address)
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=":0") as empty,
        pytest.raises(UnusableInput, match="got none"),
    ):
        go(tools, cluster=empty.scheduler_address)
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UnusableInput, match=r"sgtheory\[cluster\]"):
        go(tools, cluster="tcp://127.0.0.1:1")


def test_threads_are_the_workers_own(tools, three):
    with pytest.raises(UnusableInput, match="threads"):
        go(tools, cluster=three.scheduler_address, threads=2)


@pytest.mark.parametrize("error", [UnusableInput("a", "b", "c"), Absent("q", "sgd", "because")])
def test_a_refusal_travels_between_processes(error):
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert (str(again), again.expected, again.got) == (str(error), error.expected, error.got)


def deadly(run, meter):
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.long
def test_a_piece_that_kills_every_worker_is_given_up(tools, three, monkeypatch):
    monkeypatch.setattr(three.scheduler, "allowed_failures", 0)
    with joined(three.scheduler_address, plain_bound(tools), "cpu", "exact", 10**7) as crew:
        work = _Run(crew.engine, Plan.make(crew.engine, 64, 1, 1, None), None, None, crew)
        with pytest.raises(UnusableInput, match="killed every worker"):
            list(crew.in_order(work, deadly, [()], Meter(0)))
