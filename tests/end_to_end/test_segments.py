"""`bitune sort`, `argsort`, `tune` and `bench` with segments, against NumPy."""

import json

import pytest

np = pytest.importorskip("numpy")

OFFSETS = np.array([0, 0, 3, 40, 41, 300], dtype="i4")


@pytest.fixture
def keys():
    made = np.random.default_rng(3).integers(0, 90, 300).astype("f4")
    np.save("keys.npy", made)
    np.save("offsets.npy", OFFSETS)
    return made


def by_segment(x, begins, ends, function):
    result = x.copy()
    for begin, end in zip(begins, ends):
        result[begin:end] = function(x[begin:end])
    return result


def test_keys(bitune, keys):
    told = bitune.json("sort", "--device", "emulated", "keys.npy", "--offsets", "offsets.npy", "-o", "out.npy", "--verify")
    np.testing.assert_array_equal(np.load("out.npy"), by_segment(keys, OFFSETS, OFFSETS[1:], np.sort))
    assert told["verified"] and told["problem"]["ragged"] and told["problem"]["rows"] == 5


def test_what_is_in_no_segment_stays(bitune, keys):
    np.save("offsets.npy", np.array([200, 5], dtype="u8"))
    np.save("ends.npy", np.array([260, 100], dtype="u8"))
    bitune("sort", "--device", "emulated", "keys.npy", "--offsets", "offsets.npy", "--ends", "ends.npy", "-o", "out.npy", "--descending")
    np.testing.assert_array_equal(np.load("out.npy"), by_segment(keys, [200, 5], [260, 100], lambda x: np.sort(x)[::-1]))


def test_values_and_indices(bitune, keys):
    order = by_segment(np.arange(300), OFFSETS, OFFSETS[1:], lambda part: part[0] + np.argsort(keys[part], kind="stable") if len(part) else part)
    np.save("values.npy", np.arange(300, dtype="f8"))
    bitune("sort", "--device", "emulated", "keys.npy", "--offsets", "offsets.npy", "--values", "values.npy", "-o", "out.npy",
           "--values-out", "values_out.npy", "--verify")
    np.testing.assert_array_equal(np.load("out.npy"), keys[order])
    np.testing.assert_array_equal(np.load("values_out.npy"), order)
    bitune("argsort", "--device", "emulated", "keys.npy", "--offsets", "offsets.npy", "-o", "order.npy", "--verify")
    np.testing.assert_array_equal(np.load("order.npy"), order - np.repeat(OFFSETS[:-1], np.diff(OFFSETS)))


def test_refusals_write_nothing(bitune, keys):
    def refused(text, code, offsets, *options):
        np.save("offsets.npy", offsets)
        bitune.refuses(code, text, "sort", "--device", "emulated", "keys.npy", "--offsets", "offsets.npy", "-o", "out.npy", *options)

    refused("segment 1 is of the keys 9 to 8: it ends before it begins", 1, np.array([0, 9, 8, 300]))
    refused("segment 0 is of the keys 0 to 301, and there are 300 keys", 1, np.array([0, 301]))
    refused("(or -1, if it has a sign)", 1, np.array([-1, 300], dtype="i4"))
    refused("offsets.npy has f64: offsets are i32, u32, i64 or u64", 1, np.array([0.0, 300.0]))
    refused("has the shape (1, 2): offsets are a list", 1, np.array([[0, 300]]))
    refused("has no offsets", 1, np.array([], dtype="i8"))
    np.save("ends.npy", np.array([5, 6, 7]))
    refused("2 offsets, and ends.npy has 3 ends", 1, np.array([0, 5]), "--ends", "ends.npy")
    np.save("ends.npy", np.array([6, 9]))
    refused("segments 0 and 1 overlap", 1, np.array([0, 5]), "--ends", "ends.npy")
    refused("leave --rows and --generate out", 2, np.array([0, 5]), "--rows", "3")
    bitune.refuses(2, "--ends requires --offsets", "sort", "keys.npy", "--ends", "ends.npy")
    with pytest.raises(FileNotFoundError):
        np.load("out.npy")


def test_tuned_and_benched(bitune, tmp_path):
    (tmp_path / "lengths.txt").write_text("\n".join(map(str, [0, 3, 500, 1, 17, 70, 9])))
    for lengths in ["zipf", "lengths.txt"]:
        sizes = [] if lengths == "lengths.txt" else ["--sizes", "16", "--total", "400"]
        session = json.loads(bitune.tune("--keys", "u32", "--lengths", lengths, *sizes, "--budget", "2evals").out)
        assert session["problems"][0]["problem"]["ragged"] and session["problems"][0]["best"]
    told = bitune.json("sort", "--device", "emulated", "--db", bitune.database, *segments_of(600, 7))
    assert told["match"] == "exact", "another batch of like size"
    records = bitune.json("bench", "--device", "emulated", "--against", "host", "--suite", "segments", "--keys", "u32", "--sizes", "10",
                          "--total", "300", "--lengths", "few_long,equal", "--samples", "2")["records"]
    assert [record["lengths"] for record in records] == ["few_long", "equal"]
    assert all(record["verified"] and record["ratio"] for record in records)


def segments_of(n, count):
    """Keys and offsets of so many segments, as options of a sort."""
    np.save("keys.npy", np.random.default_rng(4).integers(0, 1 << 32, n, dtype="u4"))
    np.save("offsets.npy", np.linspace(0, n, count + 1).astype("i8"))
    return ["keys.npy", "--offsets", "offsets.npy", "-o", "out.npy"]
