"""Opens pages of `bitune db report` in headless Chromium, chooses everything that can be chosen, and looks at what is drawn.

    report_browser.py FOLDER_OF_BROWSER_PY REPORT.html HOSTILE.html

Ends with 77 (skipped) where there is no Chromium.
"""

import sys

sys.path.insert(0, sys.argv[1])
import browser as driver

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


def check(truth, what):
    if not truth:
        sys.exit(f"FAILED: {what}")


def pick(page, picker, value):
    page.evaluate(f"{PICK}({picker!r}, {str(value)!r})")


def options(page, picker):
    return page.evaluate(f"[...document.getElementById({picker!r}).options].map((option) => option.value)")


def check_charts(page, where):
    charts = page.evaluate(DRAWN)
    check(ALWAYS <= {chart["id"] for chart in charts}, f"{where}: only {charts} are there")
    for chart in charts:
        check(chart["points"] > 0 and chart["painted"], f"{where}: nothing is drawn on {chart}")
    return {chart["id"] for chart in charts}


def check_width(page, width, where):
    wide = page.evaluate("document.documentElement.scrollWidth")
    check(wide <= width, f"{where}: the page is {wide} wide on a screen of {width}")


def check_clean(page, where):
    check(page.complaints() == [], f"{where}: the browser complains: {page.complaints()}")
    check(page.requests() == [], f"{where}: the page asks for {page.requests()}")


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


def test_desktop(browser, path):
    page = driver.Page(browser, 1280, 900)
    page.open(path, until=READY)
    seen, problems = set(), 0
    for where in every_problem(page):
        problems += 1
        seen |= check_charts(page, where)
        check_width(page, 1280, where)
    check(problems == 21, f"{problems} problems instead of 21 are shown")
    check({"heat", "effect-0", "effect-3", "failures"} <= seen, f"only {seen} were ever drawn")
    for view in ("rate", "time", "ratio"):
        page.evaluate(f"document.querySelector('[data-view={view}]').click()")
        check_charts(page, view)

    pick(page, "group", options(page, "group")[1])  # u32, single arrays: CUB is beside
    lines = page.evaluate("Chart.getChart('over-n').data.datasets.map((set) => set.label)")
    check({"warp", "cluster", "CUB radix", "CUB merge"} <= set(lines), f"lines over n: {lines}")
    crossings = page.evaluate("document.getElementById('crossings').textContent")
    check("warp → cluster" in crossings and "bitune → CUB" in crossings, f"crossings: {crossings}")
    check_clean(page, "desktop")
    return page


def test_heat_map(page):
    variants = options(page, "heat-variant")
    check("warp" in variants and len(variants) > 1, f"variants: {variants}")
    pick(page, "heat-variant", "warp")
    seen = set()
    names = options(page, "heat-x")
    for x in names:
        for y in {names[0], names[-1]} - {x}:
            pick(page, "heat-x", x)
            pick(page, "heat-y", y)
            drawn = heat(page)
            check(drawn["title"] == x and drawn["filled"] > 0, f"{x} over {y} is drawn as {drawn}")
            check(page.evaluate("document.getElementById('heat-y').value") == y, f"{y} is not what stands in its picker")
            seen.add((tuple(drawn["x"]), drawn["y"], drawn["filled"], drawn["colors"]))
    check(len(seen) > 8, f"only {len(seen)} heat maps differ")
    x, y = options(page, "heat-x")[:2]
    pick(page, "heat-x", x)
    pick(page, "heat-y", y)
    pick(page, "heat-x", y)  # the same in both: they change places
    check(page.evaluate("document.getElementById('heat-y').value") == x, "two equal parameters do not change places")
    check_clean(page, "heat map")
    # The address keeps the choice.
    address = page.evaluate("location.hash")
    check(f"x={y}" in address and f"y={x}" in address, f"the address is {address}")


def test_phone(browser, path):
    page = driver.Page(browser, 390, 844, dark=True)
    page.open(path, until=READY)
    for where in every_problem(page, 3):
        check_width(page, 390, where)
        check_charts(page, where)
    check_clean(page, "phone")
    page.close()


def background(page):
    """Mean of red, green and blue behind the page."""
    color = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return sum(int(part) for part in color[4:-1].split(",")[:3]) / 3


def test_schemes(browser, path):
    page = driver.Page(browser, 800, 900, dark=True)
    page.open(path, until=READY)
    check(background(page) < 60, "a dark system has a light page")
    page.prefer("light")
    page.frame()  # a page learns of it before it is drawn the next time
    check(background(page) > 200, "the page does not follow the system's scheme")
    pick(page, "theme", "dark")
    check(background(page) < 60, "the switch does not switch")
    page.prefer("dark")
    pick(page, "theme", "light")
    check(background(page) > 200, "the system's scheme goes before the reader's choice")
    check_charts(page, "switched")
    check_clean(page, "schemes")
    page.close()


def test_hostile(browser, path):
    page = driver.Page(browser, 1280, 900)
    page.open(path, until=READY)
    for where in every_problem(page, 6):
        check_charts(page, where)
    text = page.evaluate("document.body.textContent")
    check("</script><script>window.hacked = 1</script>" in text, "a hostile text is not shown as it is")
    check(page.evaluate("window.hacked === undefined && document.images.length === 0"), "a hostile text was taken for HTML")
    check_clean(page, "hostile")


if __name__ == "__main__":
    if not driver.find_browser():
        print("there is no Chromium here (Debian: chromium-headless-shell)")
        sys.exit(77)
    report, hostile = sys.argv[2:]
    with driver.Browser() as chromium:
        page = test_desktop(chromium, report)
        test_heat_map(page)
        page.close()
        test_phone(chromium, report)
        test_schemes(chromium, report)
        test_hostile(chromium, hostile)
    print("every chart of every problem is drawn, wide and narrow, light and dark, without a request")
