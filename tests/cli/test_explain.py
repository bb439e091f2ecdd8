"""`oxidepy explain`."""

from __future__ import annotations

import pytest

from oxidepy.cli.main import main
from oxidepy.diagnostics.codes import CODES, page


@pytest.mark.parametrize("said", ["OX0308", "ox0308", "308", "[OX0308]"])
def test_page(said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", said]) == 0
    assert capsys.readouterr().out == page("OX0308")


def test_unknown_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "OX0380"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("error[OX8003]: there is no diagnostic code 'OX0380'\n") and "did you mean OX0" in said


def test_all_codes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(CODES)
