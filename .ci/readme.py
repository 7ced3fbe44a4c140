"""README's first commands, as they stand there, each in a fresh clone and a bare environment.

``python3 .ci/readme.py report [HOME]`` runs the first, and looks whether the index is there while it
runs; what it keeps stays where a home is given, and the second stage of tests judges no claim twice;
``python3 .ci/readme.py tests FOLDER`` runs the second in FOLDER/clone, which stays for what comes after;
``python3 .ci/readme.py built FOLDER`` holds what ``python -m build`` left in FOLDER against the sources,
and runs a first hour of each in an empty folder. Nothing but Python is needed.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("sgtheory", "simulators", "verification", "reports")
BEING_MADE = "This report is being made"
KEPT = ("PATH", "LANG", "LC_ALL", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE",
        "http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")  # fmt: skip
FIRST_HOUR = (
    ("--version",),
    ("list", "samplers"),
    ("derive", "sgd"),
    ("verify", "mandt2017.eq13"),
    ("new", "claim"),
    ("verify", "my_paper.py", "--only", "eq2"),
    ("list", "experiments"),
    ("cite", "sgld"),
)


def commands(readme: str) -> tuple[str, str]:
    """The two blocks of commands before README's first minute: a report, and the tests."""
    head, mark, _ = readme.partition("\n## One minute")
    found = re.findall(r"^```sh\n(.*?)^```", head, re.DOTALL | re.MULTILINE)
    if not mark or len(found) != 2:
        raise SystemExit(
            f"expected two blocks of commands before 'One minute'; got {len(found)}; mend README"
        )
    return found[0].strip(), found[1].strip()


def bare(home: Path, given: Mapping[str, str]) -> dict[str, str]:
    """An environment in which nothing is set but where programs are and how pip reaches its index."""
    own = {k: v for k, v in given.items() if k in KEPT or k.startswith("PIP_")}
    if "VIRTUAL_ENV" in given:
        folders = own["PATH"].split(os.pathsep)
        own["PATH"] = os.pathsep.join(f for f in folders if not f.startswith(given["VIRTUAL_ENV"]))
    home.mkdir(parents=True, exist_ok=True)
    return {**own, "HOME": str(home), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


def clone(folder: Path) -> Path:
    """What is committed, and nothing else."""
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder / "clone")], check=True)
    return folder / "clone"


def missing(tracked: Iterable[str], packed: Iterable[str]) -> list[str]:
    """Files of the four packages that are not in what was built."""
    there = set(packed)
    return [name for name in tracked if name.split("/")[0] in ROOMS and name not in there]


def report(home: Path | None = None) -> None:
    """README's first command: status 0, and the index there while it is still running."""
    with tempfile.TemporaryDirectory() as name:
        place = clone(Path(name))
        first, _ = commands((place / "README.md").read_text("utf-8"))
        print(f"$ {first}", flush=True)
        program, index = place / ".venv" / "bin" / "sgtheory", place / "report" / "index.html"
        installed = early = None
        seen: list[str] = []  # the index as it was, each time that it was another
        began = time.monotonic()
        running = subprocess.Popen(
            ["bash", "-c", first], cwd=place, env=bare(home or Path(name, "home"), os.environ)
        )
        while running.poll() is None:
            if installed is None and program.exists():
                installed = time.monotonic()
            if early is None and index.exists():
                text = index.read_text("utf-8")
                if text not in seen:
                    seen.append(text)
                if BEING_MADE in text:
                    early = time.monotonic()
            time.sleep(0.2)
        took = time.monotonic() - began
        if running.returncode:
            raise SystemExit(f"expected status 0 of README's first command; got {running.returncode}")
        if early is None or seen[1:]:
            told = [" ".join(re.sub("<[^>]*>", " ", text).split())[:300] for text in seen]
            print(f"before an index that marks what is being made: {told}", flush=True)
        if early is None:
            raise SystemExit("expected an index that marks what is being made while it is; got none")
        dead = list(dead_links(place / "report"))
        if dead or BEING_MADE in index.read_text("utf-8"):
            raise SystemExit(f"expected a report that is whole; got dead links {dead[:3]} or a mark")
        faults = unsound(json.loads((place / "report" / "verdicts.json").read_text("utf-8")))
        if faults:
            raise SystemExit(f"expected every claim judged, every twin rejected; got {faults[:5]}")
        print(f"index {early - (installed or began):.1f} s after the installation; all in {took:.0f} s")


def dead_links(folder: Path) -> Iterable[str]:
    """Links between pages that lead to no file."""
    there = {path.name for path in folder.iterdir()}
    for page in sorted(folder.glob("*.html")):
        for to in re.findall(r'href="([^"#:]+)["#]', page.read_text("utf-8")):
            if to not in there:
                yield f"{page.name} -> {to}"


def unsound(verdicts: Mapping[str, Any]) -> list[str]:
    """The claims that could not be judged, or one of whose wrong twins survived."""
    found = []
    for claim in verdicts["claims"]:
        if "broken" in claim:
            found.append(f"{claim['id']}: {claim['broken']['error']}")
        elif claim["twins"].get("survivors"):
            found.append(f"{claim['id']}: {claim['twins']['survivors'][0]} survives")
    return found


def tests(folder: Path) -> None:
    """README's second command."""
    place = clone(folder)
    _, second = commands((place / "README.md").read_text("utf-8"))
    print(f"$ {second}", flush=True)
    done = subprocess.run(
        ["bash", "-c", second], cwd=place, env=bare(folder / "home", os.environ), check=False
    )
    if done.returncode:
        raise SystemExit(f"expected status 0 of README's second command; got {done.returncode}")


def built(folder: Path) -> None:
    """The wheel and the sdist: nothing is left out, and each does a first hour alone."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    tracked = listed.stdout.split()
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    with tarfile.open(sdist) as tar:
        in_sdist = [member.name.partition("/")[2] for member in tar]
    for kind, names in (("wheel", zipfile.ZipFile(wheel).namelist()), ("sdist", in_sdist)):
        left_out = missing(tracked, names)
        if left_out:
            raise SystemExit(f"expected every file of the packages in the {kind}; got no {left_out[0]}")
    for package in (wheel, sdist):
        with tempfile.TemporaryDirectory() as name:
            began = time.monotonic()
            place, env = Path(name, "empty"), bare(Path(name, "home"), os.environ)
            place.mkdir()
            subprocess.run(["python3", "-m", "venv", f"{name}/venv"], env=env, check=True)
            install = [f"{name}/venv/bin/pip", "install", "--quiet", str(package.resolve())]
            subprocess.run(install, cwd=place, env=env, check=True)
            for arguments in FIRST_HOUR:
                command = [f"{name}/venv/bin/sgtheory", *arguments]
                done = subprocess.run(
                    command, cwd=place, env=env, capture_output=True, text=True, check=False
                )
                if done.returncode not in (0, 1 if "my_paper.py" in arguments else 0):
                    raise SystemExit(
                        f"expected status 0 of {command}; got {done.returncode}: {done.stderr[-400:]}"
                    )
            print(f"{package.name} alone: a first hour in {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    what, *rest = sys.argv[1:]
    if what == "report":
        report(*map(Path, rest))
    elif what == "tests":
        tests(Path(rest[0]))
    else:
        built(Path(rest[0]))
