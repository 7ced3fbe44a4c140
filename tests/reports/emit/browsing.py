"""A headless Chromium that is spoken to over a pipe: no port, no library, one process for many pages.

``python -m tests.reports.emit.browsing FOLDER OUT PAGE...`` takes pictures of pages, to be looked at.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
QUIET = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run",
    "--disable-component-update", "--disable-sync", "--no-default-browser-check", "--disable-extensions",
    "--disable-default-apps", "--disable-domain-reliability", "--hide-scrollbars",
)  # fmt: skip

# What a page wants in width; what scrolls in a box of its own does not count.
WIDTH = "document.documentElement.scrollWidth"
# All words that a reader sees, those of folded parts too.
WORDS = "document.querySelector('main').textContent"
# Formulas that have no size, of those that are shown.
FLAT = """[...document.querySelectorAll('math')].filter(m => m.checkVisibility()).filter(m => {
  const box = m.getBoundingClientRect(); return !(box.width > 2 && box.height > 4); }).length"""
FORMULAS = "[...document.querySelectorAll('math')].filter(m => m.checkVisibility()).length"
# Formulas that are cut off: out of the window where nothing scrolls, or higher than their box.
CUT = """[...document.querySelectorAll('main math')].filter(m => m.checkVisibility()).filter(m => {
  const box = m.getBoundingClientRect(), out = box.left < -1 || box.right > innerWidth + 1;
  const scrolls = m.closest('.formula, .wide, .scroll, pre');
  if (out && !scrolls) return true;
  const own = m.closest('.formula, .wide');
  return own && box.height > own.clientHeight + 2; }).map(m => m.textContent.slice(0, 60))"""
# The fonts that were needed and are there.
FONTS = """document.fonts.ready.then(() => [...document.fonts].filter(f => f.status === 'loaded')
  .map(f => f.family.replaceAll('"', '')))"""
# Words that are smaller than 10.5 pixels or have too little contrast (WCAG AA) on what is under them.
FAINT = """(() => {
  const part = c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const numbers = text => text.match(/[\\d.]+/g).map(Number);
  const colour = text => numbers(text).length < 4 ? [...numbers(text), 1] : numbers(text);
  const light = c => 0.2126 * part(c[0]) + 0.7152 * part(c[1]) + 0.0722 * part(c[2]);
  const under = e => { for (; e; e = e.parentElement) {
    const c = colour(getComputedStyle(e).backgroundColor); if (c[3] > 0.5) return c; }
    return [255, 255, 255, 1]; };
  const found = [];
  for (const e of document.querySelectorAll('body *')) {
    if (e.matches('script, style') || !e.checkVisibility({ opacityProperty: true })) continue;
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
    const style = getComputedStyle(e), drawn = e.closest('svg'), size = parseFloat(style.fontSize);
    const ink = colour(drawn ? style.fill : style.color), paper = under(e);
    const [dark, bright] = [light(ink), light(paper)].sort((a, b) => a - b);
    const contrast = (bright + 0.05) / (dark + 0.05);
    const small = !drawn && !e.closest('math') && !e.closest('sup') && size < 10.5;
    if (contrast < 4.5 || small)
      found.push(`${e.tagName} ${contrast.toFixed(1)} ${size} ${e.textContent.slice(0, 40)}`);
  }
  return found; })()"""

LOOKED_AT = {"width": WIDTH, "faint": FAINT, "flat": FLAT, "cut": CUT}

# It reads from descriptor 3 and writes to 4, whichever numbers the pipes have here.
_AS_3_AND_4 = """
import os, sys
pipes = [int(number) for number in sys.argv[1:3]]
high = [os.dup(pipe) for pipe in pipes]
while min(high) < 5:
    high = [os.dup(pipe) for pipe in high]
for pipe, place in zip(high, (3, 4)):
    os.dup2(pipe, place)
os.execvp(sys.argv[3], sys.argv[3:])
"""


class Browser:
    """Messages out and in over two pipes, as ``--remote-debugging-pipe`` wants them."""

    def __init__(self, out: int, inward: int) -> None:
        self.out, self.inward = out, inward
        self.last, self.left = 0, b""
        self.events: list[dict[str, Any]] = []

    def ask(self, method: str, session: str = "", **parameters: Any) -> dict[str, Any]:
        """The answer to one message; what else arrives is kept as events."""
        self.last += 1
        message: dict[str, Any] = {"id": self.last, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            told = self._next()
            if told.get("id") == self.last:
                assert "error" not in told, (method, told)
                return dict(told["result"])
            self.events.append(told)

    def until(self, method: str, session: str) -> dict[str, Any]:
        """The first event of that name, which may have come already."""
        while True:
            for place, event in enumerate(self.events):
                if event.get("method") == method and event.get("sessionId") == session:
                    return self.events.pop(place)
            self.events.append(self._next())

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self.left:
            part = os.read(self.inward, 1 << 20)
            assert part, "Chromium has gone"
            self.left += part
        told, _, self.left = self.left.partition(b"\0")
        return dict(json.loads(told))

    @contextmanager
    def page(
        self, address: str, width: int = 1280, dark: bool = False, scripts: bool = True
    ) -> Iterator[Shown]:
        """A page in a window of that width."""
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        shown = Shown(self, session, address, width)
        for domain in ("Page", "Network", "Runtime", "Log"):
            shown.ask(f"{domain}.enable")
        shown.ask("Emulation.setDeviceMetricsOverride", width=width, height=900,
                  deviceScaleFactor=1, mobile=width < 600)  # fmt: skip
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        shown.ask("Emulation.setEmulatedMedia", features=[scheme])
        shown.ask("Emulation.setScriptExecutionDisabled", value=not scripts)
        shown.ask("Page.navigate", url=address)
        self.until("Page.loadEventFired", session)
        yield shown
        self.ask("Target.closeTarget", targetId=target)
        self.events.clear()


class Shown:
    """A page that is open."""

    def __init__(self, browser: Browser, session: str, address: str, width: int) -> None:
        self.browser, self.session, self.address, self.width = browser, session, address, width

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """One message about this page."""
        return self.browser.ask(method, self.session, **parameters)

    def value(self, expression: str) -> Any:
        """What an expression is in the page; asked from outside, whatever the page's policy."""
        told = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in told, told
        return told["result"].get("value")

    def asked_for(self) -> list[str]:
        """All addresses that were asked for, beside the page itself and what it holds inside."""
        self.value("document.fonts.ready.then(() => 0)")
        sent = (e for e in self.browser.events if e.get("sessionId") == self.session
                and e.get("method") == "Network.requestWillBeSent")  # fmt: skip
        found = [event["params"]["request"]["url"] for event in sent]
        return [u for u in found if not u.startswith("data:") and u.partition("#")[0] != self.address]

    def complaints(self) -> list[str]:
        """What the browser says against the page: refused by its policy, failed, or not understood."""
        told = (e["params"] for e in self.browser.events if e.get("sessionId") == self.session
                and e.get("method") in ("Log.entryAdded", "Runtime.exceptionThrown"))  # fmt: skip
        return [str(p.get("entry", p)) for p in told]

    def type(self, text: str) -> None:
        """Keys into what has the focus."""
        self.ask("Input.insertText", text=text)

    def picture(self, file: Path, most: int = 6000) -> None:
        """The whole page, down to a limit."""
        height = min(self.value("document.documentElement.scrollHeight"), most)
        clip = {"x": 0, "y": 0, "width": self.width, "height": height, "scale": 1}
        data = self.ask("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)
        file.write_bytes(base64.b64decode(data["data"]))


@contextmanager
def chromium(folder: Path, *options: str) -> Iterator[Browser]:
    """A browser with a profile of its own; a test is skipped where none is installed."""
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed")
    theirs_in, out = os.pipe()
    inward, theirs_out = os.pipe()
    command = [CHROMIUM, *QUIET, f"--user-data-dir={folder / 'profile'}", "--remote-debugging-pipe"]
    options = (*options, "about:blank")  # and not the start page that a distribution sets
    with subprocess.Popen(
        [sys.executable, "-c", _AS_3_AND_4, str(theirs_in), str(theirs_out), *command, *options],
        pass_fds=(theirs_in, theirs_out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        os.close(theirs_in)
        os.close(theirs_out)
        browser = Browser(out, inward)
        try:
            yield browser
            browser.ask("Browser.close")
        finally:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
            os.close(out)
            os.close(inward)


def main(folder: Path, out: Path, pages: list[str]) -> None:
    """A picture of each page at a desk and on a phone, in light and in dark."""
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as own, chromium(Path(own)) as browser:
        for page in pages:
            for width in (1280, 390):
                for dark in (False, True):
                    with browser.page((folder / page).resolve().as_uri(), width, dark) as shown:
                        name = f"{Path(page).stem}-{width}-{'dark' if dark else 'light'}.png"
                        shown.picture(out / name)
                        told = {k: shown.value(v) for k, v in LOOKED_AT.items()}
                        told |= {"asked": shown.asked_for(), "complaints": shown.complaints()}
                        print(name, told)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])
