"""Tuning sessions that are stopped, killed, resumed, and run side by side lose nothing that was measured."""

import json
import os
import signal

import pytest

SESSION = ("tune", "--device", "emulated", "--samples", 3, "--keys", "u32", "--sizes", 300, "--variants", "rows,warp")


def trials(bitune):
    return bitune.json("db", "trials", "--limit", 0)["trials"]


def stop(bitune, with_signals, *arguments):
    """Lets a session without a budget evaluate three configurations, then sends it the signals."""
    session = bitune.session(*SESSION, "--budget", "none", *arguments)
    session.await_evaluations(3)
    return session.end(*with_signals)


def test_interrupted_and_resumed(bitune):
    code, output = stop(bitune, [signal.SIGINT], "--json")
    assert code == 130 and "stopped" in output.err and output.json["interrupted"]
    kept = trials(bitune)
    assert len(kept) >= 3
    assert not {"compile_failed", "launch_failed", "timed_out"} & {trial["status"] for trial in kept}

    # Resuming skips what is there. What was measured first need not have been proposed first: compilations overtake each other, and
    # two for each processor are under way. The budget reaches past them.
    [problem] = bitune.json(*SESSION, "--budget", f"{2 * os.cpu_count() + 6}evals")["problems"]
    assert problem["skipped"] >= 1 and problem["evaluated"] >= 1
    measured = [trial["configuration"]["text"] for trial in trials(bitune) if not trial["finalist"]]
    assert len(measured) == len(set(measured))
    [problem] = bitune.json(*SESSION, "--budget", "2evals", "--no-resume")["problems"]
    assert problem["skipped"] == 0


@pytest.fixture
def scratch(bitune, tmp_path):
    """An empty folder that the command takes for its temporary files."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    bitune.environment["TMPDIR"] = str(folder)
    return folder


def test_a_hangup_is_as_ctrl_c(bitune, scratch):
    code, output = stop(bitune, [signal.SIGHUP], "--json")
    assert code == 128 + signal.SIGHUP and "stopped" in output.err and output.json["interrupted"]
    assert not list(scratch.iterdir())


def test_a_second_ctrl_c_leaves_nothing_either(bitune, scratch):
    code, _ = stop(bitune, [signal.SIGINT, signal.SIGINT])
    assert code in (130, -signal.SIGINT)
    assert not list(scratch.iterdir())


def test_killed(bitune, scratch):
    code, _ = stop(bitune, [signal.SIGKILL])
    assert code == -signal.SIGKILL
    assert list(scratch.iterdir()), "a killed process cleans nothing up"
    bitune(*SESSION, "--budget", "1evals")
    assert not list(scratch.iterdir()), "the next one does"
    assert "is sound" in bitune("db", "check").out
    assert len(trials(bitune)) >= 3, "a trial is stored before it is told of"


def test_two_at_once_into_one_file(bitune):
    sessions = [bitune.start("tune", "--device", "emulated", "--samples", 3, "--finalists", 0, "--keys", key, "--sizes", 200,
                             "--budget", "4evals", "--json") for key in ("i32", "f32")]
    for session in sessions:
        out, err = session.communicate()
        assert session.returncode == 0, err
        assert json.loads(out)["problems"][0]["evaluated"] == 4
    assert len(trials(bitune)) == 8
    bitune("db", "check")
