"""The commands in this process, each call as if it were the first."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from oxidepy.cli.main import main
from oxidepy.cli.output import OUTPUT
from oxidepy.settings import active
from oxidepy.settings.config import Flags


@dataclass(frozen=True)
class Done:
    """What a command gave."""

    code: int
    out: str
    err: str


Command = Callable[..., Done]


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Command]:
    """Runs `oxidepy` with the given arguments in an empty folder."""
    monkeypatch.chdir(tmp_path)
    path, arguments, modules, device = list(sys.path), sys.argv, set(sys.modules), os.environ.get("OXIDEPY_DEVICE")

    def run(*given: object) -> Done:
        OUTPUT.verbosity, OUTPUT.color, OUTPUT.rest = 0, "auto", []
        capsys.readouterr()
        code = main([str(one) for one in given])
        said = capsys.readouterr()
        return Done(code, said.out, said.err)

    yield run
    sys.path[:], sys.argv = path, arguments
    OUTPUT.verbosity, OUTPUT.color, OUTPUT.rest = 0, "auto", []
    active.set_flags(Flags())
    if device is None:
        os.environ.pop("OXIDEPY_DEVICE", None)
    for name in set(sys.modules) - modules:
        if str(getattr(sys.modules[name], "__file__", None)).startswith(str(tmp_path)):
            del sys.modules[name]
