"""Pages in a browser, from files: at a desk and on a phone, light and dark, with scripts and without."""

import http.server
import re
import threading

import pytest
from sympy import sympify

from reports.document import Code, Figure, Heading, Mono, Page, Paragraph, Table, Verdict
from reports.emit import Site, write
from reports.live import Live, Slider, program
from tests.reports import demo
from tests.reports.emit import browsing
from tests.reports.emit.browsing import chromium
from tests.reports.emit.test_site import listed
from tests.reports.sixpages import written

pytestmark = pytest.mark.browser

# What the browser asks its maker for itself, whatever the page; a page's fonts would not be among it.
OWN = re.compile(r"\.google\.com|\.gvt1\.com|(update|optimizationguide-pa)\.googleapis\.com")
WINDOWS = [(1280, False), (1280, True), (390, False), (390, True)]


@pytest.fixture(scope="module")
def asked():
    """What went through a proxy, which is another way to see requests than the browser's own word."""
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
    yield seen, f"127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def browser(tmp_path_factory, asked):
    with chromium(tmp_path_factory.mktemp("browser"), f"--proxy-server={asked[1]}") as browser:
        yield browser


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The demo pages, and one with a table to look through."""
    folder = tmp_path_factory.mktemp("pages")
    write((*demo.pages(), listed()), folder)
    return folder


@pytest.fixture(scope="module")
def six(tmp_path_factory):
    """A small report with a page of each kind, of real claims."""
    folder = tmp_path_factory.mktemp("six")
    return folder, written(folder)


def wrong(shown, asked):
    """What is wrong with a page in its window; style and script that pages share are their files."""
    own = ("/style.css", "/script.js")
    sent = [address for address in shown.asked_for() if not address.endswith(own)]
    found = [f"asks for {address}" for address in (*sent, *asked)]
    found += [f"the browser says {words}" for words in shown.complaints()]
    if (wide := shown.value(browsing.WIDTH)) != shown.width:
        found.append(f"is {wide} wide")
    if shown.value(browsing.FORMULAS) and "SG Math" not in shown.value(browsing.FONTS):
        found.append("formulas without their font")
    if flat := shown.value(browsing.FLAT):
        found.append(f"{flat} formulas are not drawn")
    found += [f"is cut off: {formula}" for formula in shown.value(browsing.CUT)]
    return found + shown.value(browsing.FAINT)


def look(browser, asked, folder, name, windows=WINDOWS):
    """What is wrong with a page in any window; without scripts all of it is there."""
    asked[0].clear()
    address, found, said = (folder / f"{name}.html").as_uri(), [], []
    for width, dark in windows:
        with browser.page(address, width, dark) as shown:
            found += wrong(shown, asked[0])
            said.append(words(shown))
    with browser.page(address, scripts=False) as shown:
        said.append(words(shown))
    return found + ["says less without scripts"] * (len(set(said)) != 1)


def words(shown):
    """All that a page says, beside the fields that its script adds and takes along."""
    shown.value("document.querySelectorAll('.filter').forEach(bar => bar.remove())")
    return shown.value(browsing.WORDS)


@pytest.mark.parametrize(
    "name", ["index", pytest.param("mandt2017.eq13", marks=pytest.mark.strong), "formulas", "list"]
)
def test_demo_pages(browser, asked, folder, name):
    assert look(browser, asked, folder, name) == []


@pytest.mark.long
@pytest.mark.parametrize(
    "kind",
    [
        "index",
        "paper",
        "claim",
        "sampler",
        "guide",
        "experiment",
        "errata",
        "reference",
        "gallery",
        "words",
    ],
)
def test_pages_of_each_kind(browser, asked, six, kind):
    folder, names = six
    assert look(browser, asked, folder, names[kind]) == []


# What is changed on a page, and what has to be told of it.
TWINS = {
    "wide": ("formulas", "overflow-x:auto;overflow-y:hidden", "", r"is \d+ wide"),
    "faint": ("mandt2017.eq13", "--ink:#1c1c1a", "--ink:#c9c9c0", r"LI 1\.\d"),
    "small": ("index", ".summary{", ".summary{font-size: 9px !important; ", r"P [\d.]+ 9 "),
    "font": ("formulas", '"SG Math"', '"Other"', "formulas without their font"),
    "cut": ("formulas", "</style>", ".formula { height: 0.5rem } </style>", "is cut off"),
    "flat": ("formulas", "</style>", "math { height: 0; overflow: hidden }</style>", "[0-9]+ formulas"),
    "scripts": ("list", "fit();\n}\n", "fit();\ntable.remove();\n}\n", "says less without scripts"),
    "asks": ("index", "</main>", '<img src="http://example.invalid/x"></main>', "the browser says"),
}  # fmt: skip


@pytest.mark.parametrize("twin", TWINS)
def test_a_page_with_a_fault_would_be_seen(browser, asked, folder, tmp_path, twin):
    name, old, new, told = TWINS[twin]
    text = (folder / f"{name}.html").read_text()
    assert old in text
    text = text.replace(old, new)
    if twin == "scripts":  # the page's policy lets no other script run
        text = re.sub(r"<meta http-equiv=[^>]*>", "", text)
    (tmp_path / f"{name}.html").write_text(text)
    found = look(browser, asked, tmp_path, name, [(390, False)])
    assert any(re.match(told, words) for words in found), found
    assert not asked[0]  # what a page's policy refuses is told of, and not sent


def test_a_page_that_asks_would_be_seen_in_both_ways(browser, asked, tmp_path):
    asked[0].clear()
    page = tmp_path / "asks.html"
    page.write_text('<!doctype html><title>x</title><img src="http://example.invalid/x.png">')
    with browser.page(page.as_uri()) as shown:
        assert shown.asked_for() == asked[0] == ["http://example.invalid/x.png"]


ROWS = "[...document.querySelectorAll('tbody tr')].filter(r => r.checkVisibility()).length"
COUNT = "document.querySelector('.filter output').value"


def choose(shown, number, word):
    """A choice in one of the lists above a table, as a reader makes it."""
    shown.value(
        f"""(() => {{ const list = document.querySelectorAll('.filter select')[{number}];
        list.value = [...list.options].find(o => o.value.includes({word!r})).value;
        list.dispatchEvent(new Event('change', {{ bubbles: true }})); }})()"""
    )


def test_rows_are_searched_and_chosen(browser, folder):
    with browser.page((folder / "list.html").as_uri()) as shown:
        assert (shown.value(ROWS), shown.value(COUNT)) == (3, "3 of 3")
        shown.value("document.querySelector('.filter input').focus()")
        shown.type("CLAIM 1")
        assert (shown.value(ROWS), shown.value(COUNT)) == (1, "1 of 3")
        shown.type(" nowhere")
        assert shown.value(ROWS) == 0
        shown.value("document.execCommand('selectAll')")
        shown.type("claim")
        choose(shown, 0, "refuted")
        assert (shown.value(ROWS), shown.value(COUNT)) == (1, "1 of 3")
    with browser.page((folder / "list.html").as_uri(), scripts=False) as shown:
        assert shown.value(ROWS) == 3
        assert not shown.value("document.querySelector('.filter')")


FOUND = "[...document.querySelectorAll('.found a')].map(a => [a.firstChild.data, a.href])"


def found_by(shown, words):
    """What the search box finds; its index comes when the box is used."""
    shown.value("document.querySelector('.find input').focus()")
    shown.value("document.execCommand('selectAll')")
    shown.type(words)
    shown.value(
        """new Promise(done => { const look = () =>
        document.querySelector('.found output').value === 'Loading' ? setTimeout(look, 20) : done(0);
        look(); })"""
    )
    return shown.value(FOUND)


def places():
    """Pages that are found by their titles, by names of libraries, and by other words for the same."""
    heading = Heading(3, "Step size", "word-step-size")
    return (
        Page("index", "Index", (), "index"),
        Page(
            "sampler-nesterov",
            "SGD with a look ahead",
            (Paragraph(Mono("torch.optim.SGD")),),
            "sampler",
        ),
        Page("p.eq1", "The best step size", (Verdict("proved", "It is."),), "claim", "Eq. 1"),
        Page("words", "Words", (Heading(2, "Of samplers"), heading, Paragraph("How far.")), "words"),
    )


def test_every_page_finds_every_other(browser, tmp_path):
    site = Site(searched=True, shared=("claim", "words"), synonyms=(("step size", "learning rate"),))
    write(places(), tmp_path, ("html",), site)
    for name in ("index", "p.eq1"):  # with its script inside, and beside it
        with browser.page((tmp_path / f"{name}.html").as_uri()) as shown:
            assert not [a for a in shown.asked_for() if a.endswith("/search.js")]
            nesterov = found_by(shown, "Nesterov")
            assert [title for title, _ in nesterov] == ["SGD with a look ahead"]
            assert nesterov[0][1] == (tmp_path / "sampler-nesterov.html").as_uri()
            assert found_by(shown, "torch.optim")[0] == nesterov[0]
            found = found_by(shown, "learning rates")
            assert {title for title, _ in found} == {"The best step size", "Step size"}
            assert any(address.endswith("words.html#word-step-size") for _, address in found)
            assert found_by(shown, "proved best")[0][0] == "The best step size"
            assert found_by(shown, "nowhere at all") == []
            assert shown.complaints() == []
    with browser.page((tmp_path / "index.html").as_uri(), scripts=False) as shown:
        assert not shown.value("document.querySelector('.find').checkVisibility()")


def test_contents_stand_beside_a_long_page_and_fold_on_a_phone(browser, tmp_path):
    long = tuple(Heading(2, f"Part {k}") for k in range(5))
    write((Page("long", "Long", long), Page("short", "Short", long[:3])), tmp_path)
    seen = "[...document.querySelectorAll('.rail a')].filter(a => a.checkVisibility()).length"
    for width, many in ((1280, 5), (390, 0)):
        with browser.page((tmp_path / "long.html").as_uri(), width) as shown:
            assert shown.value(seen) == many
    with browser.page((tmp_path / "short.html").as_uri()) as shown:
        assert not shown.value("document.querySelector('.rail')")


def test_a_reader_with_a_keyboard_skips_to_the_content(browser, folder):
    with browser.page((folder / "index.html").as_uri()) as shown:
        for kind in ("keyDown", "keyUp"):
            shown.ask(
                "Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9
            )
        assert shown.value("document.activeElement.textContent") == "Skip to the content"
        assert shown.value("document.activeElement.getBoundingClientRect().left") >= 0


@pytest.mark.strong
def test_dark_is_dark(browser, folder):
    def paper(dark):
        with browser.page((folder / "index.html").as_uri(), dark=dark) as shown:
            colour = shown.value("getComputedStyle(document.body).backgroundColor")
            return sum(map(int, re.findall(r"\d+", colour))) / 3

    assert paper(True) < 40 < 240 < paper(False)


def test_a_table_of_sentences_is_blocks_on_a_phone(browser, tmp_path):
    long = "The covariance that the paper prints is twice the one that the algorithm has at this step."
    rows = (("Eq. 13", long, "substance"), ("Eq. 20", long, "slip of the pen"))
    write((Page("long", "Long", (Table(("where", "what is wrong", "kind"), rows),)),), tmp_path)
    cell = "document.querySelector('td')"
    said = f"getComputedStyle({cell}, '::before').content"
    for width, display, name in ((1280, "table-cell", "none"), (390, "block", '"what is wrong"')):
        with browser.page((tmp_path / "long.html").as_uri(), width) as shown:
            assert shown.value(f"getComputedStyle({cell}).display") == display
            assert shown.value(said) == name
            box = "document.querySelector('.scroll')"
            assert shown.value(f"{box}.scrollWidth <= {box}.clientWidth")
            assert shown.value(browsing.WIDTH) <= width


def test_words_between_numbers_are_not_pressed_to_one_a_line(browser, tmp_path):
    number = "0.04158 ± 0.00007"
    table = Table(
        ("entry", "measured", "law", "else", "printed"),
        (("1", number, "not known in closed form", number, number),), align="lrlrr",
    )  # fmt: skip
    write((Page("pressed", "Pressed", (table,)),), tmp_path)
    with browser.page((tmp_path / "pressed.html").as_uri(), 390) as shown:
        row = "document.querySelector('tbody tr').getBoundingClientRect().height"
        assert shown.value(row) < 90


def test_lines_of_a_terminal_are_whole_at_a_desk(browser, tmp_path):
    write((Page("shown", "Shown", (Code("x" * 90),)),), tmp_path)
    for width in (1280, 390):
        with browser.page((tmp_path / "shown.html").as_uri(), width) as shown:
            assert shown.value(browsing.WIDTH) <= width
            whole = "(pre => pre.scrollWidth <= pre.clientWidth)(document.querySelector('pre'))"
            assert shown.value(whole) == (width == 1280)


def test_a_long_name_leaves_its_numbers_room_on_a_phone(browser, tmp_path):
    """A column of one word a line is not read: the row becomes a block, a short cell one line."""
    name = "averages, multiple of the posterior's variance, smallest posterior variance"
    rows = ((name, "1.032 ± 0.2", "1.025 ± 3·10⁻⁹", "yes"),)
    table = Table(("what", "simulated", "exact", "agree"), rows, align="lrrl")
    write((Page("named", "Named", (table,)),), tmp_path)
    with browser.page((tmp_path / "named.html").as_uri(), 390) as shown:
        high = "document.querySelector('tbody {}').getBoundingClientRect().height"
        assert shown.value(high.format("th")) < 100
        assert shown.value(high.format("td")) < 45
        box = "document.querySelector('.scroll')"
        assert shown.value(f"{box}.scrollWidth <= {box}.clientWidth")


def test_a_drawing_moves_where_scripts_run(browser, tmp_path):
    sliders = (Slider("mu", "μ", 0.01, 0.99, 0.5, "linear"),)
    exact, inside = (program(sympify(text)) for text in ("eps/(2 - mu - eps)", "2 - mu - eps"))
    across, curves = Slider("eps", "ε", 0.01, 10, 0.1), (("exact", exact), ("limit", "eps 0.5 *"))
    live = Live(across, sliders, curves, (inside,), "A variance over a step.")
    svg = '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0h9"/></svg>'
    page = Page("live", "Live", (Figure(svg, "a line", "What is drawn.", "x,y\n1,2\n", "one", live),))
    write((page,), tmp_path)
    place, said = "document.querySelector('.live')", "document.querySelector('.live output').textContent"
    move = """(() => {{ const input = document.querySelectorAll('.live input')[{}]; input.value = {};
      input.dispatchEvent(new Event('input')); }})()"""
    for width in (1280, 390):
        with browser.page((tmp_path / "live.html").as_uri(), width) as shown:
            assert shown.value(f"!{place}.hidden")
            assert shown.value(said) == "exact: 0.0714; limit: 0.05 (30 % lower)"
            drawn = (
                "[...document.querySelectorAll('.live .line-1')].map(p => p.getAttribute('d')).join()"
            )
            before = shown.value(drawn)
            shown.value(move.format(1, 1000))  # mu = 0.99
            assert shown.value(said) == "exact: 0.11; limit: 0.05 (55 % lower)"
            shown.value("0")
            assert (
                shown.value("document.querySelectorAll('.live .line-1')[1].getAttribute('d')") != before
            )
            shown.value(move.format(0, 900))  # eps = 5.01
            assert shown.value(said) == "Unstable: there is no stationary law."
            assert shown.value(browsing.WIDTH) <= width
            assert shown.complaints() == []
    with browser.page((tmp_path / "live.html").as_uri(), scripts=False) as shown:
        assert not shown.value(f"{place}.checkVisibility()")
        assert shown.value("document.querySelector('.plot svg').checkVisibility()")


def test_code_is_copied_by_a_button(browser, tmp_path):
    page = Page("index", "Code", (Code("sgtheory law sgd", "sh"),))
    write((page,), tmp_path, site=Site(home="index", searched=True))
    click = """(() => { let told; navigator.clipboard.writeText = text => Promise.resolve(told = text);
      document.querySelector('.copy').click(); return told; })()"""
    with browser.page((tmp_path / "index.html").as_uri()) as shown:
        assert shown.value(click) == "sgtheory law sgd"
        assert shown.value("document.querySelector('pre').textContent") == "sgtheory law sgd"
    with browser.page((tmp_path / "index.html").as_uri(), 390) as shown:  # where nothing hovers
        shown.ask("Emulation.setEmulatedMedia", features=[{"name": "hover", "value": "none"}])
        edge = "(() => {{ const {0}; return {1}; }})()"
        first = "code = document.createRange(); code.selectNodeContents(document.querySelector('pre'))"
        text = shown.value(edge.format(first, "code.getBoundingClientRect().top"))
        assert shown.value("document.querySelector('.copy').getBoundingClientRect().bottom") <= text + 1
    with browser.page((tmp_path / "index.html").as_uri(), scripts=False) as shown:
        assert shown.value("document.querySelector('.copy') === null")
