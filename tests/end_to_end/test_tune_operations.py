"""`bitune tune --operation`: what is tuned is listed, exported, and taken by `bitune argsort` and `bitune sort --values`."""

import pytest

np = pytest.importorskip("numpy")

SIZE = 60


@pytest.fixture(scope="module")
def paired(make_bitune, tmp_path_factory):
    """The command after a short session over pairs and argsort."""
    command = make_bitune(tmp_path_factory.mktemp("paired"))
    command.session = command.tune("--operation", "sort_pairs,argsort", "--keys", "f32", "--sizes", SIZE, "--budget", "2evals")
    return command


def test_each_operation_is_a_problem(paired):
    problems = [outcome["problem"] for outcome in paired.session.json["problems"]]
    assert [(p["operation"], p["value_bytes"], p["index_bytes"], p["stable"]) for p in problems] == [
        ("sort_pairs", 4, 0, True), ("argsort", 0, 4, True)]
    for outcome in paired.session.json["problems"]:
        assert outcome["best"]["status"] == "ok" and outcome["best"]["finalist"] is True


def test_tables_say_and_filter_by_what_travels(paired):
    assert paired("db", "list").out.splitlines()[0].split()[:2] == ["device", "operation"]
    listed = paired.json("db", "list")["problems"]
    assert len(listed) == 2
    best = paired.json("db", "best", "--operation", "argsort")["best"]
    assert [row["problem"]["index_bytes"] for row in best] == [4]
    assert paired.json("db", "trials", "--value-bytes", 4)["trials"][0]["problem"]["operation"] == "sort_pairs"
    assert paired.json("db", "trials", "--value-bytes", 8)["trials"] == []


def explained(bitune, *arguments):
    return bitune.json(*arguments, "--device", "emulated", "--verify")


def test_calls_take_what_was_tuned_for_them_or_for_their_neighbours(paired, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("keys.npy", np.random.default_rng(1).random(SIZE, dtype="f4"))
    output = explained(paired, "argsort", "keys.npy", "-o", "order.npy")
    assert (output["match"], output["verified"]) == ("exact", True)
    np.save("values.npy", np.arange(SIZE, dtype="u8"))
    output = explained(paired, "sort", "keys.npy", "--values", "values.npy", "-o", "sorted.npy", "--values-out", "moved.npy")
    assert output["match"] == "near size" and output["verified"] is True
    assert output["reason"].endswith("the same size; tuned for values of 4 bytes, used for 8")
    np.testing.assert_array_equal(np.load("moved.npy"), np.load("order.npy"))


def test_a_round_trip_keeps_them(paired, bitune, tmp_path):
    for form in ("json", "cache", "t4", "results"):
        folder = tmp_path / form
        paired("db", "export", "--format", form, "-o", f"{folder}/")
        other = f"{form}.db"
        bitune("db", "import", "--db", other, *sorted(folder.iterdir()))
        listed = bitune.json("db", "list", "--db", other)["problems"]
        assert {(p["problem"]["operation"], p["problem"]["value_bytes"]) for p in listed} == {("sort_pairs", 4), ("argsort", 0)}, form
