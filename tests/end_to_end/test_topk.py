"""`bitune topk` against NumPy's stable sorts."""

import pytest

np = pytest.importorskip("numpy")

from test_argsort import stable_order  # noqa: E402
from test_sort_types import WIDTHS, sample  # noqa: E402


def topk(bitune, keys, k, *options):
    np.save("keys.npy", keys)
    bitune("topk", "--device", "emulated", "keys.npy", "-k", str(k), "-o", "first.npy", "--indices", "where.npy", *options)
    return np.load("first.npy"), np.load("where.npy")


@pytest.mark.parametrize("dtype", WIDTHS)
def test_key_type(bitune, dtype):
    largest = WIDTHS.index(dtype) // 2 % 2 == 1  # the tests of the kernels have both for each type
    keys = sample(f"<{dtype}", 333)
    keys[100:200] = keys[:100]
    first, where = topk(bitune, keys, 50, "--verify", *(["--largest"] if largest else []))
    expected = stable_order(keys, largest)[:50]
    np.testing.assert_array_equal(where, expected)
    assert first.tobytes() == keys[expected].tobytes()


def test_rows(bitune):
    keys = np.random.default_rng(1).integers(0, 9, (3, 4, 30)).astype("i4")
    first, where = topk(bitune, keys, 7, "--rows", "auto", "--index", "u64")
    assert first.shape == where.shape == (3, 4, 7) and where.dtype == np.uint64
    np.testing.assert_array_equal(where, np.argsort(keys, axis=-1, kind="stable")[..., :7])


def test_indices_alone_and_json(bitune):
    np.save("keys.npy", np.arange(10, dtype="u4"))
    report = bitune.json("topk", "--device", "emulated", "keys.npy", "-k", "3", "--indices", "where.npy")
    assert report["problem"]["operation"] == "top_k" and report["problem"]["k"] == 3
    assert report["indices_output"] == "where.npy" and report["output"] is None
    np.testing.assert_array_equal(np.load("where.npy"), [0, 1, 2])


def test_text(bitune):
    with open("keys.txt", "w", encoding="ascii") as file:
        file.write("30\n10\n20\n")
    assert bitune("topk", "--device", "emulated", "keys.txt", "-k", "2", "--largest").out.split() == ["30", "20"]


@pytest.mark.parametrize(
    "options, text",
    [
        (["-k", "0"], "is not from 1 to the 10 keys"),
        (["-k", "11"], "is not from 1 to the 10 keys"),
        (["-k", "x"], "is not a size"),
        (["-k", "2", "--index", "u16"], "--index is u32 or u64"),
        (["-k", "2", "-o", "a.npy", "--indices", "./a.npy"], "one file"),
        (["-k", "2", "--json"], "--json needs"),
        ([], "-k"),
    ],
)
def test_refusals(bitune, options, text):
    np.save("keys.npy", np.arange(10, dtype="u4"))
    bitune.refuses(2, text, "topk", "--device", "emulated", "keys.npy", *options)


def test_what_is_tuned_is_taken_and_compared(bitune, make_bitune, tmp_path):
    command = make_bitune(tmp_path / "tuned")
    outcome = command.tune("--operation", "top_k", "--k", "5,90", "--keys", "f32", "--order", "desc", "--sizes", "60", "--budget", "2evals")
    assert [p["problem"]["k"] for p in outcome.json["problems"]] == [5], "an array of 60 keys has no first 90"
    assert [row["problem"]["k"] for row in command.json("db", "best", "--operation", "top_k", "--k", "5")["best"]] == [5]
    assert command.json("db", "trials", "--k", "6")["trials"] == []
    np.save("keys.npy", np.random.default_rng(1).random(60, dtype="f4"))
    said = command.json("topk", "--device", "emulated", "keys.npy", "-k", "6", "--largest", "--indices", "where.npy", "--verify")
    assert said["match"] == "exact" and said["reason"].endswith("tuned for k=5, used for k=6") and said["verified"] is True
    records = command.json("bench", "--device", "emulated", "--against", "host", "--operation", "top_k", "--k", "7",
                           "--keys", "f32", "--sizes", "60", "--samples", "3")["records"]
    assert [(r["k"], r["verified"], r["peer_method"]) for r in records] == [(7, True, "stable_sort")]
    assert "no array of the bench has k keys" in command("bench", "--device", "emulated", "--operation", "top_k", "--k", "70",
                                                         "--sizes", "60", code=2).err


def test_segments(bitune):
    keys = np.random.default_rng(4).integers(0, 9, 60).astype("i4")
    offsets = [0, 20, 20, 22, 60]
    np.save("offsets.npy", np.array(offsets, "u4"))
    first, where = topk(bitune, keys, 5, "--offsets", "offsets.npy", "--largest", "--verify")
    assert first.shape == where.shape == (4, 5)
    for row, (begin, end) in enumerate(zip(offsets, offsets[1:])):
        order = np.argsort(-keys[begin:end], kind="stable")[:5]
        np.testing.assert_array_equal(first[row, : len(order)], keys[begin:end][order])
        np.testing.assert_array_equal(where[row], np.pad(order, (0, 5 - len(order)), constant_values=2**32 - 1))
