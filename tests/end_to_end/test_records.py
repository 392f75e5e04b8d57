"""`bitune sort --key` and `bitune argsort --key`: records of NumPy's structured arrays, and CSV; and input that is converted."""

import csv
import io

import pytest

np = pytest.importorskip("numpy")

FIELDS = [("id", "<u4"), ("price", ">f8"), ("where", "<f4", (3,)), ("name", "S5"), ("time", "<M8[s]"), (("a title", "größe"), "<i2"),
          ("inner", [("x", "<i4"), ("y", "?")]), ("ok", "?")]


@pytest.fixture
def records():
    random = np.random.default_rng(1)
    made = np.zeros(500, dtype=np.dtype(FIELDS, align=True))
    made["id"] = np.arange(500)
    made["price"] = random.integers(0, 10, 500)
    made["price"][7] = np.nan
    made["where"] = random.random((500, 3))
    made["name"] = [f"n{i}".encode() for i in range(500)]
    made["time"] = random.integers(0, 5, 500)
    made["time"][[3, 300]] = "NaT"
    made["größe"] = random.integers(-3, 3, 500)
    made["ok"] = random.integers(0, 2, 500)
    np.save("records.npy", made)
    return np.load("records.npy")


def same(got, expected):
    if got.dtype.names:  # NumPy does not copy what is between fields
        return got.dtype == expected.dtype and repr(got.tolist()) == repr(expected.tolist())
    return got.dtype == expected.dtype and got.tobytes() == expected.tobytes()


def test_as_numpy_orders_them(bitune, records):
    bitune.sort("records.npy", "--key", "time,größe", "-o", "out.npy", "--verify")
    assert same(np.load("out.npy"), np.sort(records, order=["time", "größe", "id"]))
    bitune.sort("records.npy", "-k", "ok:desc", "-k", "price", "-o", "out.npy")
    expected = records[np.lexsort((records["price"], ~records["ok"]))]
    assert same(np.load("out.npy"), expected)
    bitune("argsort", "--device", "emulated", "records.npy", "--key", "ok:desc,price", "-o", "order.npy", "--index", "u64")
    assert same(records[np.load("order.npy")], expected)


def test_csv_with_quotes(bitune):
    random = np.random.default_rng(2)
    rows = [[str(i), random.choice(['plain', 'a, b', 'say "x"', 'two\nlines', '']), repr(float(x))]
            for i, x in enumerate(random.integers(0, 20, 300) / 8)]
    for lineterminator, delimiter in (("\r\n", ","), ("\n", ";")):
        with open("in.csv", "w", newline="") as file:
            csv.writer(file, lineterminator=lineterminator, delimiter=delimiter).writerows([["id", "text", "value"], *rows])
        out = bitune.sort("in.csv", "--key", "value:desc")
        got = list(csv.reader(io.StringIO(out.decode(), newline=""), delimiter=delimiter))
        assert got == [["id", "text", "value"], *sorted(rows, key=lambda row: -float(row[2]))]
        assert sorted(out.split(lineterminator.encode())) == sorted(open("in.csv", "rb").read().split(lineterminator.encode()))


def test_converted(bitune):
    matrix = np.random.default_rng(3).standard_normal((5, 12)).astype(">f4")
    np.save("in.npy", np.asfortranarray(matrix))
    told = bitune.json("sort", "--device", "emulated", "in.npy", "--rows", "auto", "-o", "out.npy")
    assert told["converted"] == "big endian to little endian, Fortran order to C order"
    assert same(np.load("out.npy"), np.sort(matrix, axis=1).astype("<f4"))
    truth = np.array([True, False, True, False])
    np.save("in.npy", truth)
    bitune.sort("in.npy", "-o", "out.npy")
    assert same(np.load("out.npy"), np.sort(truth))


def test_text_in_lines(bitune):
    table = np.random.default_rng(4).integers(-99, 99, (7, 5))
    np.savetxt("in.csv", table, fmt="%d", delimiter=",")
    bitune.sort("in.csv", "--rows", "auto", "-o", "out.csv")
    np.testing.assert_array_equal(np.loadtxt("out.csv", delimiter=","), np.sort(table, axis=1))
    bitune.sort("in.csv", "--rows", "1", "-o", "out.npy")
    np.testing.assert_array_equal(np.load("out.npy"), np.sort(table, axis=None))


def test_endless_input(bitune):
    device = ("--device", "emulated", "-o", "out.bin")
    bitune.refuses(1, "does not begin as text does", "sort", "/dev/zero", "--type", "u8", *device)
    bitune.refuses(1, "does not end within 8.0 MiB", "sort", "/dev/zero", "--type", "u8", "--format", "raw", "--max-bytes", "8M",
                   *device)
    np.arange(1000, dtype="u8").tofile("in.bin")
    # What must be converted is read, and its size is known beforehand. Keys as they are sorted are not read but mapped.
    np.save("big_endian.npy", np.arange(1000, dtype=">u8"))
    bitune.refuses(1, "takes 7.8 KiB", "sort", "big_endian.npy", "--max-bytes", "4K", *device)
    bitune("sort", "in.bin", "--type", "u64", "--max-bytes", "4K", *device)
    assert np.array_equal(np.fromfile("out.bin", "u8"), np.arange(1000))
