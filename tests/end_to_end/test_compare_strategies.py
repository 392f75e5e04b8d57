"""scripts/compare_strategies.py: searches of recorded spaces, bitune's and Kernel Tuner's, and the table that they become."""

import pytest

from stored import DATA

SPACES = [DATA / "recorded" / "nvidia-h200" / f"{variant}_u32_4194304.json.gz" for variant in ("warp", "global")]


def compare(bitune, script, page, tools):
    """Returns the page with the table."""
    tuning = page("tuning.md")
    script("scripts/compare_strategies.py", "--bitune", bitune.executable, "--tools", tools, "--seeds", 2, "--most", 40,
           "--strategies", "random_sample,genetic_algorithm", "--results", "results.json", "--page", tuning, *SPACES)
    told = tuning.read_text()
    for text in ("| strategy | of | seeds | u32 2^22 (261) |", "| `bayesian` | bitune |", "| `random` | bitune |"):
        assert text in told
    return told


def test_bitune_alone(bitune, script, page):
    assert "| Kernel Tuner |" not in compare(bitune, script, page, "bitune")


def test_beside_kernel_tuner(bitune, script, page):
    pytest.importorskip("kernel_tuner")
    assert "| `genetic_algorithm` | Kernel Tuner |" in compare(bitune, script, page, "bitune,kernel_tuner")
