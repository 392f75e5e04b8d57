#!/usr/bin/env python3
"""Draws docs/images/report.png, a picture of the page that `bitune db report` makes of real measurements.

    scripts/draw_report.py [--bitune build/release/bin/bitune] [--output docs/images/report.png]

The measurements are an NVIDIA H200's: tests/data/report_h200.db.xz, and bench/results/nvidia-h200/single.json for CUB.
Needs headless Chromium, and Pillow (of requirements-plots) to make the picture small.
"""

import argparse
import lzma
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts" / "lib"))
import browser  # noqa: E402

WIDTH = 1000
SHOWN = "#group=1&problem=6&view=rate&variant=warp&x=block_size_x&y=items_per_thread"  # u32, single arrays, 2^16


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bitune", default=str(ROOT / "build/release/bin/bitune"))
    parser.add_argument("--output", default=str(ROOT / "docs/images/report.png"))
    options = parser.parse_args()
    if not browser.find_browser():
        sys.exit("there is no Chromium here (Debian: chromium-headless-shell); BITUNE_BROWSER may name one")
    from PIL import Image

    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        database, report = folder / "tuning.db", folder / "report.html"
        database.write_bytes(lzma.decompress((ROOT / "tests/data/report_h200.db.xz").read_bytes()))
        subprocess.run([options.bitune, "db", "report", report, "--db", database, "--bench",
                        ROOT / "bench/results/nvidia-h200/single.json"], check=True, stdout=subprocess.DEVNULL)
        with browser.Browser() as chromium:
            page = browser.Page(chromium, WIDTH, 900)
            page.open(report, SHOWN, until="document.documentElement.dataset.drawn === 'yes'")
            # The table of problems is long; what follows the first four charts of the problem is left out, too.
            page.evaluate("document.getElementById('problems-card').hidden = true")
            page.frame()
            bottom = page.evaluate("document.getElementById('convergence-card').getBoundingClientRect().bottom + scrollY")
            complaints = page.complaints()
            if complaints:
                sys.exit(f"the page complains: {complaints}")
            page.screenshot(folder / "report.png", clip={"x": 0, "y": 0, "width": WIDTH, "height": round(bottom) + 12})
        picture = Image.open(folder / "report.png").convert("RGB")
        picture.quantize(256, Image.Quantize.MAXCOVERAGE, kmeans=1, dither=Image.Dither.NONE).save(options.output, optimize=True)
    print(f"{options.output}: {pathlib.Path(options.output).stat().st_size // 1024} KiB")


if __name__ == "__main__":
    main()
