"""Examinations whose child processes are made up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, cast

import pytest

from oxidepy.doctor.child import Child, ChildEnded
from oxidepy.doctor.examination import Examination

Visit = Callable[..., Examination]


class Told:
    """Stands for a child: tells the facts it was given, and ends as it was told for the others."""

    def __init__(self, facts: dict[str, Any], ended: ChildEnded | None) -> None:
        self.facts = facts
        self.ended = ended

    def fact(self, stage: str) -> Any:
        if stage in self.facts:
            return self.facts[stage]
        assert self.ended is not None, f"nothing was said of {stage}"
        raise self.ended

    def stop(self) -> None:
        self.facts = {}


@pytest.fixture
def visit() -> Iterator[Visit]:
    """`visit("driver", {"library": {...}}, ended)` is an examination whose driver's child tells these facts."""
    made: list[Examination] = []

    def make(probe: str = "", facts: dict[str, Any] | None = None, ended: ChildEnded | None = None, **given: Any) -> Examination:
        examination = Examination(**given)
        if probe:
            examination._children[probe] = cast("Child", Told(facts or {}, ended))
        made.append(examination)
        return examination

    yield make
    for one in made:
        one.close()


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The variables that the checks look at come from the test alone."""
    for name in ("CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "CUDA_HOME", "CUDA_PATH", "LD_LIBRARY_PATH", "container"):
        monkeypatch.delenv(name, raising=False)
    for name in ("NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES", "KUBERNETES_SERVICE_HOST"):
        monkeypatch.delenv(name, raising=False)
