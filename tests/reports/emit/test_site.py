"""What pages share, tables that a reader looks through, tallies, and a server for this machine alone."""

import base64
import hashlib
import http.client
import os
import re
import socket
import threading
import urllib.request
from html import unescape

import pytest

from reports.document import Page, Table, Tally, Verdict, VerdictWord
from reports.emit import Site, render, write
from reports.emit.style import script
from reports.serving import LOOPBACK, server_of
from sgtheory.errors import UnusableInput
from tests.reports import demo
from tests.reports.emit.test_html import Reader


def listed():
    rows = tuple((f"claim {n}", VerdictWord(w)) for n, w in enumerate(("proved", "refuted", "proved")))
    table = Table(("claim", "as printed"), rows, search="the claims")
    tally = Tally(((VerdictWord("proved"), 2), (VerdictWord("refuted"), 1)))
    return Page("list", "List", (tally, table), kind="paper")


def test_only_the_kinds_that_share_have_their_style_outside(tmp_path):
    write(demo.pages(), tmp_path, ("html",), Site(shared=("claim",)))
    claim = (tmp_path / "mandt2017.eq13.html").read_text()
    assert '<link rel="stylesheet" href="style.css">' in claim
    assert "<style>" not in re.sub(r"<svg.*?</svg>", "", claim, flags=re.DOTALL)
    assert len(claim) < 120_000
    style = (tmp_path / "style.css").read_text()
    assert "font/woff2" in style
    assert "</style" not in style
    formulas = (tmp_path / "formulas.html").read_text()  # may be sent alone: only its fonts are lent
    assert "<style>" in formulas
    assert "font/woff2" not in formulas
    assert '<link rel="stylesheet" href="style.css">' in formulas
    assert "style.css" not in (tmp_path / "index.html").read_text()  # no formula, no fonts


def test_nothing_is_written_for_a_style_that_nobody_shares(tmp_path):
    write((demo.formulas(), demo.index(), Page("mandt2017.eq13", "E", ())), tmp_path, ("html",), Site())
    assert not (tmp_path / "style.css").exists()
    assert "font/woff2" in (tmp_path / "formulas.html").read_text()


def test_a_page_runs_our_script_and_no_other():
    text = render((listed(),), "html")
    inside = re.search(r"<script>(.*?)</script>", text, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
    policy = next(m["content"] for m in Reader(text).all("meta") if "http-equiv" in m)
    assert f"script-src 'sha256-{digest}'" in unescape(policy)
    assert inside == script()
    assert "<script" not in render((demo.index(),), "html")


def test_the_script_writes_text_and_never_markup():
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacent|document\.write|eval|fetch|XMLHttp", script()
    )


@pytest.mark.parametrize("style", ["html", "markdown", "latex", "text"])
def test_a_tally_is_told_in_words(style):
    text = re.sub(r"<[^>]*>|checkmark|times", "", render((listed(),), style))
    assert re.search(r"2 \W*proved", text)
    assert re.search(r"1 \W*refuted", text)


@pytest.mark.parametrize("counts", [(), ((VerdictWord("proved"), 0),)])
def test_a_tally_counts_verdicts(counts):
    with pytest.raises(UnusableInput):
        Tally(counts)


def test_what_is_proved_of_a_part_is_counted_apart_and_says_so():
    part = VerdictWord("proved", "one dimension")
    page = Page("list", "List", (Verdict("proved", "It is.", "one dimension"), Tally(((part, 2),))))
    assert render((page,), "text").count("proved (one dimension)") == 2


def test_a_report_is_served_to_this_machine_alone(tmp_path):
    write((Page("index", "What the papers say", ()),), tmp_path)
    with server_of(tmp_path) as server:
        assert server.server_address[0] == LOOPBACK
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://{LOOPBACK}:{server.server_address[1]}/index.html"
        with urllib.request.urlopen(address, timeout=20) as answer:
            assert b"What the papers say" in answer.read()
        server.shutdown()


ASKED = (
    ("GET", "/index.html", "", 200),
    ("GET", "/", "localhost:8000", 200),
    ("HEAD", "/index.html", "", 200),
    ("GET", "/below/a.txt", "", 200),
    ("GET", "/inner.txt", "", 200),
    ("GET", "/below/", "", 404),
    ("GET", "/%00", "", 404),
    ("GET", "/index.html%00.txt", "", 404),
    ("GET", "/" + "a" * 5000, "", 404),
    ("GET", "/../secret", "", 404),
    ("GET", "/%2e%2e/secret", "", 404),
    ("GET", "/..%2fsecret", "", 404),
    ("GET", "/%2e%2e%2fsecret", "", 404),
    ("GET", "/below/../../secret", "", 404),
    ("GET", "/leak", "", 404),
    ("GET", "//etc/passwd", "", 404),
    ("GET", "/out/secret", "", 404),
    ("GET", "/loop", "", 404),
    ("GET", "/%c0%ae%c0%ae/secret", "", 404),
    ("GET", "/..%5csecret", "", 404),
    ("GET", "/pipe", "", 404),
    ("GET", "/index.html", "evil.example", 421),
    ("HEAD", "/index.html", "evil.example:80", 421),
    ("GET", "/index.html", "127.0.0.1.evil.example", 421),
    ("POST", "/index.html", "", 501),
    ("PUT", "/new", "", 501),
    ("DELETE", "/index.html", "", 501),
    ("OPTIONS", "/", "", 501),
    ("CONNECT", "/", "", 501),
)


@pytest.mark.skipif(os.name != "posix", reason="links and pipes with names")
def test_a_server_gives_files_of_its_folder_and_nothing_else(tmp_path, capfd):
    (tmp_path / "secret").write_text("secret")
    folder = tmp_path / "report"
    (folder / "below").mkdir(parents=True)
    (folder / "index.html").write_text("index")
    (folder / "below" / "a.txt").write_text("a")
    (folder / "inner.txt").symlink_to("below/a.txt")
    (folder / "leak").symlink_to(tmp_path / "secret")
    (folder / "out").symlink_to(tmp_path)
    (folder / "loop").symlink_to("loop")
    os.mkfifo(folder / "pipe")
    with server_of(folder) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for method, path, host, status in ASKED:
            client = http.client.HTTPConnection(*server.server_address[:2], timeout=20)
            client.putrequest(method, path, skip_host=bool(host))
            if host:
                client.putheader("Host", host)
            client.endheaders()
            answer = client.getresponse()
            assert (answer.status, method, path, host) == (status, method, path, host)
            assert b"secret" not in answer.read().replace(path.encode(), b"")
            client.close()
        with socket.create_connection(server.server_address[:2], timeout=20) as odd:
            odd.sendall(b"\x00\xff nonsense\r\n\r\n")
            assert b"400" in odd.recv(200)
        server.shutdown()
    assert capfd.readouterr() == ("", "")
