"""`bitune sort` between files, pipes and full disks: a whole output or none."""

import pathlib
import signal
import subprocess

import pytest

SORT = ("sort", "--device", "emulated")


@pytest.fixture
def numbers():
    pathlib.Path("good.txt").write_text("3\n1\n2\n")
    return "good.txt"


def left_over():
    """Temporary files beside outputs."""
    return [path for path in pathlib.Path().glob(".*") if path.is_file()]


def test_to_a_file_and_to_standard_output(bitune, numbers):
    told = bitune.json(*SORT, numbers, "-o", "sorted.txt")
    assert told["output"] == "sorted.txt" and told["configuration"] and told["times"]["total_us"] > 0
    assert pathlib.Path("sorted.txt").read_text() == "1\n2\n3\n"
    output = bitune(*SORT, numbers)
    assert output.out == "1\n2\n3\n"
    assert all(word in output.err for word in ("configuration", "match", "times"))


def test_full_disk(bitune, numbers):
    bitune.refuses(1, "No space left", *SORT, numbers, "-o", "/dev/full")
    with open("/dev/full", "w") as full:
        process = bitune.start("devices", stdout=full)
        _, err = process.communicate()
    assert process.returncode == 1 and b"No space left" in err


def test_signal_while_the_input_is_still_coming(bitune):
    process = bitune.start(*SORT, "-", "--format", "text", "-o", "late.txt", stdin=subprocess.PIPE)
    # More than a pipe holds: once all of it is written, the command reads. By then it has opened its output.
    process.stdin.write(b"1\n" * 100_000)
    process.stdin.flush()
    assert [path.name.startswith(".late.txt.") for path in left_over()] == [True]
    process.send_signal(signal.SIGTERM)
    assert process.wait() == -signal.SIGTERM
    process.stdin.close()
    process.stdout.close()
    process.stderr.close()
    assert left_over() == [] and not pathlib.Path("late.txt").exists()
