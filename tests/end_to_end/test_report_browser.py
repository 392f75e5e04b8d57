"""Pages of `bitune db report` in headless Chromium: everything that can be chosen is chosen, and what is drawn is looked at."""

import contextlib
import shutil
import sqlite3
import sys

import pytest
from stored import ROOT, unpack

sys.path.insert(0, str(ROOT / "scripts" / "lib"))
import browser as driver  # noqa: E402

if not driver.find_browser():
    pytest.skip("there is no Chromium here (Debian: chromium-headless-shell)", allow_module_level=True)

# Each canvas with a chart on it: has it data, and is anything painted?
DRAWN = """[...document.querySelectorAll('canvas')].map((canvas) => {
  const chart = Chart.getChart(canvas);
  const small = new OffscreenCanvas(64, 64).getContext('2d', {willReadFrequently: true});
  if (canvas.width && canvas.height) small.drawImage(canvas, 0, 0, 64, 64);
  const pixels = small.getImageData(0, 0, 64, 64).data;
  return {id: canvas.id, points: chart ? chart.data.datasets.reduce((sum, set) => sum + set.data.length, 0) : 0,
          painted: pixels.some((value) => value !== 0)};
})"""
PICK = """((id, value) => {
  const picker = document.getElementById(id);
  picker.value = value;
  if (picker.value !== String(value)) throw new Error(`${id} has no ${value}`);
  picker.dispatchEvent(new Event('change'));
})"""
READY = "document.documentElement.dataset.drawn === 'yes'"
ALWAYS = {"over-n", "samples", "distribution", "convergence"}


@pytest.fixture(scope="module")
def pages(tmp_path_factory, make_bitune):
    """Two reports: of real measurements, with CUB beside; and of texts that would be a script, if a page took them for one, and of
    many more trials than a page has room for."""
    folder = tmp_path_factory.mktemp("pages")
    bitune = make_bitune(folder)
    for stored, name in (("report_h200.db.xz", "tuning.db"), ("report_h200_bench.json.xz", "bench.json")):
        unpack(stored, folder / name)
    bitune("db", "report", folder / "shipped.html", "--db", ROOT / "data/tunings.db")
    bitune("db", "report", folder / "report.html", "--db", folder / "tuning.db", "--bench", folder / "bench.json")

    shutil.copy(folder / "tuning.db", folder / "hostile.db")
    with contextlib.closing(sqlite3.connect(folder / "hostile.db")) as db, db:
        hostile = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>"
        db.execute("UPDATE software SET driver = ?, compiler = ?", (hostile, hostile))
        db.execute("UPDATE trials SET message = ? WHERE status <> 'ok'", (hostile,))
        columns = ", ".join(row[1] for row in db.execute("PRAGMA table_info(trials)") if row[1] != "id")
        for _ in range(2):
            db.execute(f"INSERT INTO trials ({columns}) SELECT {columns} FROM trials WHERE NOT finalist")
    told = bitune.json("db", "report", folder / "hostile.html", "--db", folder / "hostile.db")
    assert told["bytes"] < 700000
    return folder


@pytest.fixture(scope="module")
def chromium():
    with driver.Browser() as browser:
        yield browser


@pytest.fixture
def shown(chromium, pages):
    """Opens pages; they are closed after the test."""
    opened = []

    def show(name, *arguments, **options):
        page = driver.Page(chromium, *arguments, **options)
        opened.append(page)
        page.open(pages / name, until=READY)
        return page

    yield show
    for page in opened:
        page.close()


def pick(page, picker, value):
    page.evaluate(f"{PICK}({picker!r}, {str(value)!r})")


def options(page, picker):
    return page.evaluate(f"[...document.getElementById({picker!r}).options].map((option) => option.value)")


def check_charts(page, where):
    charts = page.evaluate(DRAWN)
    assert ALWAYS <= {chart["id"] for chart in charts}, f"{where}: only {charts} are there"
    for chart in charts:
        assert chart["points"] > 0 and chart["painted"], f"{where}: nothing is drawn on {chart}"
    return {chart["id"] for chart in charts}


def check_width(page, width, where):
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= width, f"{where}: the page is {wide} wide on a screen of {width}"


def check_clean(page, where):
    assert page.complaints() == [], f"{where}: the browser complains: {page.complaints()}"
    assert page.requests() == [], f"{where}: the page asks for {page.requests()}"


def every_problem(page, step=1):
    """Chooses each problem of each group, or every so many; yields where it is."""
    for group in options(page, "group"):
        pick(page, "group", group)
        for problem in options(page, "problem-n")[::step]:
            pick(page, "problem-n", problem)
            yield page.evaluate("document.getElementById('problem-title').textContent")


def heat(page):
    return page.evaluate("""(() => {
      const chart = Chart.getChart('heat');
      return {x: chart.data.labels, y: chart.data.datasets.length, title: chart.options.scales.x.title.text,
              filled: chart.data.datasets.flatMap((set) => set.data).filter(Boolean).length,
              colors: new Set(chart.data.datasets.flatMap((set) => set.backgroundColor)).size};
    })()""")


def test_desktop(shown):
    page = shown("report.html", 1280, 900)
    seen, problems = set(), 0
    for where in every_problem(page):
        problems += 1
        seen |= check_charts(page, where)
        check_width(page, 1280, where)
    assert problems == 21, f"{problems} problems instead of 21 are shown"
    assert {"heat", "effect-0", "effect-3", "failures"} <= seen, f"only {seen} were ever drawn"
    for view in ("rate", "time", "ratio"):
        page.evaluate(f"document.querySelector('[data-view={view}]').click()")
        check_charts(page, view)

    pick(page, "group", options(page, "group")[1])  # u32, single arrays: CUB is beside
    lines = page.evaluate("Chart.getChart('over-n').data.datasets.map((set) => set.label)")
    assert {"warp", "cluster", "CUB radix", "CUB merge"} <= set(lines), f"lines over n: {lines}"
    crossings = page.evaluate("document.getElementById('crossings').textContent")
    assert "warp → cluster" in crossings and "bitune → CUB" in crossings, f"crossings: {crossings}"
    check_clean(page, "desktop")


def test_what_is_shipped(shown):
    """Many variants, which have colours of their own; and problems with one trial, which is a final."""
    page = shown("shipped.html", 1280, 900)
    titles = page.evaluate("[...document.getElementById('group').options].map((option) => option.textContent)")
    pick(page, "group", next(i for i, title in enumerate(titles) if title.startswith("u32, ascending, single arrays")))
    colors = page.evaluate("Chart.getChart('over-n').data.datasets.map((set) => set.borderColor)")
    assert len(colors) == len(set(colors)) >= 6, f"colours of the variants: {colors}"
    texts = []
    for problem in options(page, "problem-n"):
        pick(page, "problem-n", problem)
        texts.append(page.evaluate("document.getElementById('problem').textContent"))
    alone = [text for text in texts if "1 valid configuration of 1 trial" in text]
    assert 0 < len(alone) < len(texts)
    for text in alone:
        assert "Only one is valid." in text and "The only trial did not fail." in text
    assert any("No search is stored" in text for text in texts)
    check_clean(page, "shipped")


def test_the_last_evaluation_is_not_cut(shown):
    page = shown("report.html", 1280, 900)
    over = page.evaluate("""(() => {
      const chart = Chart.getChart('convergence');
      return chart.data.datasets.map((set, i) => {
        const points = chart.getDatasetMeta(i).data;
        const radius = Math.max(...points.map((point) => point.options.radius ?? 0));
        return Math.max(...points.map((point) => point.x)) + radius - chart.chartArea.right - (set.clip ?? 0);
      });
    })()""")
    assert over and max(over) <= 0, f"points reach over what is drawn by {over} pixels"


def test_heat_map(shown):
    page = shown("report.html", 1280, 900)
    pick(page, "group", options(page, "group")[1])
    variants = options(page, "heat-variant")
    assert "warp" in variants and len(variants) > 1, f"variants: {variants}"
    pick(page, "heat-variant", "warp")
    seen = set()
    names = options(page, "heat-x")
    for x in names:
        for y in {names[0], names[-1]} - {x}:
            pick(page, "heat-x", x)
            pick(page, "heat-y", y)
            drawn = heat(page)
            assert drawn["title"] == x and drawn["filled"] > 0, f"{x} over {y} is drawn as {drawn}"
            assert page.evaluate("document.getElementById('heat-y').value") == y, f"{y} is not what stands in its picker"
            seen.add((tuple(drawn["x"]), drawn["y"], drawn["filled"], drawn["colors"]))
    assert len(seen) > 8, f"only {len(seen)} heat maps differ"
    x, y = options(page, "heat-x")[:2]
    pick(page, "heat-x", x)
    pick(page, "heat-y", y)
    pick(page, "heat-x", y)  # the same in both: they change places
    assert page.evaluate("document.getElementById('heat-y').value") == x, "two equal parameters do not change places"
    check_clean(page, "heat map")
    # The address keeps the choice.
    address = page.evaluate("location.hash")
    assert f"x={y}" in address and f"y={x}" in address, f"the address is {address}"


def test_phone(shown):
    page = shown("report.html", 390, 844, dark=True)
    for where in every_problem(page, 3):
        check_width(page, 390, where)
        check_charts(page, where)
    check_clean(page, "phone")


def background(page):
    """Mean of red, green and blue behind the page."""
    color = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return sum(int(part) for part in color[4:-1].split(",")[:3]) / 3


def test_schemes(shown):
    page = shown("report.html", 800, 900, dark=True)
    assert background(page) < 60, "a dark system has a light page"
    page.prefer("light")
    page.frame()  # a page learns of it before it is drawn the next time
    assert background(page) > 200, "the page does not follow the system's scheme"
    pick(page, "theme", "dark")
    assert background(page) < 60, "the switch does not switch"
    page.prefer("dark")
    pick(page, "theme", "light")
    assert background(page) > 200, "the system's scheme goes before the reader's choice"
    check_charts(page, "switched")
    check_clean(page, "schemes")


def test_hostile(shown):
    page = shown("hostile.html", 1280, 900)
    for where in every_problem(page, 6):
        check_charts(page, where)
    text = page.evaluate("document.body.textContent")
    assert "</script><script>window.hacked = 1</script>" in text, "a hostile text is not shown as it is"
    assert page.evaluate("window.hacked === undefined && document.images.length === 0"), "a hostile text was taken for HTML"
    check_clean(page, "hostile")
