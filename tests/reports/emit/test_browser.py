"""What a browser does with a page: opened from a file, scripts off, at a desk and on a phone."""

import http.server
import re
import shutil
import subprocess
import threading
from pathlib import Path

import pytest

from reports.emit import write
from tests.reports import demo

pytestmark = pytest.mark.browser
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
QUIET = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run",
    "--disable-component-update", "--disable-sync", "--no-default-browser-check", "--disable-extensions",
    "--disable-default-apps", "--disable-domain-reliability", "--hide-scrollbars",
)  # fmt: skip


# What the browser asks its maker for itself, whatever the page; a page's fonts would not be among it.
OWN = re.compile(r"\.google\.com|\.gvt1\.com|(update|optimizationguide-pa)\.googleapis\.com")


@pytest.fixture(autouse=True)
def _installed():
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed")


def browse(tmp_path, url, *options):
    command = [CHROMIUM, *QUIET, f"--user-data-dir={tmp_path / 'profile'}", *options, url]
    return subprocess.run(command, capture_output=True, check=True, timeout=90).stdout.decode()


@pytest.fixture
def asked():
    """The addresses that were asked for through a proxy, and the proxy's own."""
    seen = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            if not OWN.search(self.path):
                seen.append(self.path)
            self.send_error(404)

        do_CONNECT = do_POST = do_GET

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield seen, f"--proxy-server=127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def picture(tmp_path, page: Path, *options):
    from PIL import Image

    file = tmp_path / "picture.png"
    browse(tmp_path, page.as_uri(), f"--screenshot={file}", "--window-size=1280,1400", *options)
    with Image.open(file) as image:
        return image.convert("L")


def ink(image) -> float:
    """The share of points that are not the background."""
    counts = image.histogram()
    return 1 - max(counts) / sum(counts)


def without_scripts(tmp_path, page: Path) -> Path:
    """A copy of a page in which no script may run. (A frame that forbids them is painted late.)"""
    copy = tmp_path / f"still-{page.name}"
    rule = """<meta http-equiv="Content-Security-Policy" content="script-src 'none'">"""
    copy.write_text(page.read_text().replace("<title>", f"{rule}<title>", 1))
    assert rule in copy.read_text()
    return copy


def test_pages_show_without_scripts_and_ask_for_nothing(report, tmp_path, asked):
    seen, proxy = asked
    page = report / "mandt2017.eq13.html"
    shown = ink(picture(tmp_path, page, proxy))
    # most of the page is there without scripts; a page that needs them would be blank (next test)
    assert 0 < shown / 2 < ink(picture(tmp_path, without_scripts(tmp_path, page), proxy))
    assert seen == []


def test_a_page_that_needs_scripts_would_be_blank(tmp_path):
    page = tmp_path / "needs.html"
    page.write_text(
        "<!doctype html><title>x</title><body><script>document.write('words')</script></body>"
    )
    assert ink(picture(tmp_path, page)) > 0
    assert ink(picture(tmp_path, without_scripts(tmp_path, page))) == 0


def test_a_page_that_asks_would_be_seen(tmp_path, asked):
    seen, proxy = asked
    page = tmp_path / "asks.html"
    page.write_text('<!doctype html><title>x</title><img src="http://example.invalid/x.png">')
    picture(tmp_path, page, proxy)
    assert seen == ["http://example.invalid/x.png"]


def test_the_policy_holds_back_what_slipped_in(report, tmp_path, asked):
    seen, proxy = asked
    page = tmp_path / "slipped.html"
    text = (report / "index.html").read_text().replace("</main>", '<img src="http://example.invalid/x">')
    page.write_text(text)
    picture(tmp_path, page, proxy)
    assert seen == []


def test_dark_is_dark(report, tmp_path):
    light = picture(tmp_path, report / "index.html")
    dark = picture(tmp_path, report / "index.html", "--blink-settings=preferredColorScheme=0")
    assert light.getpixel((5, 5)) > 240
    assert dark.getpixel((5, 5)) < 40


def widths(tmp_path, pages: list[Path], width: int) -> list[int]:
    """How wide each page wants to be in a window of that width."""
    frames = "".join(f'<iframe src="{p.as_uri()}" style="width:{width}px"></iframe>' for p in pages)
    script = (
        "onload = () => document.body.textContent = [...document.querySelectorAll('iframe')]"
        ".map(f => f.contentDocument.documentElement.scrollWidth).join(' ')"
    )
    frame = tmp_path / "frame.html"
    frame.write_text(f"<!doctype html><body>{frames}<script>{script}</script></body>")
    text = browse(tmp_path, frame.as_uri(), "--dump-dom", "--allow-file-access-from-files")
    found = re.search(r"<body>([\d ]+)</body>", text)
    assert found, text[:500]
    return [int(number) for number in found[1].split()]


@pytest.mark.parametrize("width", [390, 1280])
def test_pages_never_scroll_sideways(report, tmp_path, width):
    assert widths(tmp_path, sorted(report.glob("*.html")), width) == [width] * 3


def test_a_page_that_scrolls_sideways_would_be_seen(tmp_path):
    write(demo.pages(), tmp_path)
    page = tmp_path / "formulas.html"
    page.write_text(page.read_text().replace("overflow-x: auto; overflow-y: hidden", ""))
    assert widths(tmp_path, [page], 390)[0] > 390
