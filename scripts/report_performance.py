#!/usr/bin/env python3
"""Writes what pages say of recorded results, between marks that name the part, from bench/results/*/*.json and data/tunings.db.

With --check it changes nothing, and only says whether pages and charts agree with the records.
"""

import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "lib"))
import generated_page  # noqa: E402
import performance_charts  # noqa: E402
import performance_details  # noqa: E402
import performance_segments  # noqa: E402
import performance_summary  # noqa: E402
import python_report  # noqa: E402
import tuner_report  # noqa: E402
from performance_records import RESULTS, ROOT  # noqa: E402

SCRIPT = "scripts/report_performance.py"
PAGES = ("README.md", "docs/performance.md", "docs/performance-others.md", "docs/performance-details.md", "docs/tuning.md", "docs/python.md",
         "docs/kernels-segments.md")
PARTS = {
    "headline": performance_summary.headline,
    "summary": performance_summary.generated,
    "others": performance_summary.of_others,
    "details": performance_details.generated,
    "tuner": tuner_report.generated,
    "python": python_report.generated,
    "segments": performance_segments.expectations,
}


def update(page, results, check):
    """Fills in the parts for which the page has marks. Charts that it shows are only checked: drawing them needs Matplotlib."""
    parts = [part for part in PARTS if generated_page.begin_mark(f"{SCRIPT}, {part}") in page.read_text()]
    if not parts:
        sys.exit(f"{page} has no mark of a generated part, as '{generated_page.begin_mark(f'{SCRIPT}, summary')}'")
    for part in parts:
        if not generated_page.update(page, f"{SCRIPT}, {part}", PARTS[part](results), check):
            sys.exit(f"{page} does not say what the recorded results say: run {SCRIPT}")
    if "summary" in parts:
        for chart in performance_charts.outdated(results):
            sys.exit(f"{chart} does not show what the recorded results say: run scripts/draw_performance.py")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; exit code 1 if a page or a chart is out of date")
    parser.add_argument("--page", type=pathlib.Path, action="append", help=f"a page with marks, instead of {', '.join(PAGES)}; can be repeated")
    parser.add_argument("--results", type=pathlib.Path, default=RESULTS)
    arguments = parser.parse_args()

    for page in arguments.page or [ROOT / name for name in PAGES]:
        update(page, arguments.results, arguments.check)


if __name__ == "__main__":
    main()
