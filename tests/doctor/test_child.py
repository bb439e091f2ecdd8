"""Child processes: what they reported counts, and nothing that they do takes this one along."""

from __future__ import annotations

import sys
import time
import types

import pytest

from oxidepy.doctor import child as children
from oxidepy.doctor import probes, reporting
from oxidepy.doctor.child import Child, ChildEnded

STAGES = {"first": 20.0, "second": 20.0}
# a probe made in the child itself: its stages stand in for those of a module
PREPARE = """
import json, sys, types
sys.path[:] = json.loads(sys.argv[1])
module = types.ModuleType("oxidepy.doctor.probes.made")
exec(PROBE, module.__dict__)
sys.modules["oxidepy.doctor.probes.made"] = module
from oxidepy.doctor.reporting import main
main("made", float(sys.argv[3]))
"""


@pytest.fixture
def probe(monkeypatch: pytest.MonkeyPatch) -> types.FunctionType:
    def make(body: str, limits: dict[str, float] | None = None) -> Child:
        text = "import os, sys, time\ndef stages():\n" + "".join(f"    {line}\n" for line in body.splitlines())
        monkeypatch.setattr(children, "START", f"PROBE = {text!r}\n{PREPARE}")
        return Child("made", limits or STAGES)

    return make  # type: ignore[return-value]


def ended(child: Child, stage: str) -> ChildEnded:
    with pytest.raises(ChildEnded) as raised:
        child.fact(stage)
    return raised.value


def test_facts(probe: types.FunctionType) -> None:
    child = probe("yield 'first', {'a': [1, 2]}\nprint('noise on file 1')\nos.system('echo more')\nyield 'second', 'ü'")
    assert child.fact("second") == "ü" and child.fact("first") == {"a": [1, 2]}


def test_exception(probe: types.FunctionType) -> None:
    child = probe("yield 'first', 1\nraise ValueError('what was wrong')")
    how = ended(child, "second")
    assert (how.kind, how.stage, how.text) == ("failed", "second", "ValueError: what was wrong")
    assert child.fact("first") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="signals are not sent there")
def test_crash(probe: types.FunctionType) -> None:
    child = probe("yield 'first', 1\nprint('last words', file=sys.stderr, flush=True)\nos.kill(os.getpid(), 9)")
    how = ended(child, "second")
    assert (how.kind, how.stage, how.status, how.text) == ("died", "second", -9, "last words")


def test_stage_left_out(probe: types.FunctionType) -> None:
    how = ended(probe("yield 'first', 1"), "second")
    assert (how.kind, how.status) == ("died", 0)


def test_hang(probe: types.FunctionType) -> None:
    child = probe("yield 'first', os.getpid()\nwhile True: time.sleep(1)", {"first": 20.0, "second": 0.3})
    began = time.monotonic()
    how = ended(child, "second")
    assert (how.kind, how.stage, how.text) == ("hung", "second", "no answer within 0.3 s")
    assert time.monotonic() - began < 15
    assert child._process is not None and child._process.wait(5) != 0


def test_stop(probe: types.FunctionType) -> None:
    child = probe("yield 'first', 1\ntime.sleep(60)")
    assert child.fact("first") == 1
    child.stop()
    assert ended(child, "second").kind == "stopped"
    assert child._process is not None and child._process.wait(5) != 0


def test_stop_before_start() -> None:
    child = Child("numbers", {"numpy": 1.0})
    child.stop()
    assert ended(child, "numpy").kind == "stopped" and child._process is None


def test_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    how = ended(Child("numbers", {"numpy": 1.0}), "numpy")
    assert how.kind == "failed" and "no child process can be started" in how.text


def test_every_probe_has_a_module() -> None:
    from importlib.util import find_spec

    from oxidepy.doctor.examination import PROBES

    assert all(find_spec(f"{probes.__name__}.{name}") is not None for name in PROBES)
    assert reporting.FAILED not in (0, 1)
