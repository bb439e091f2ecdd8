"""`oxidepy list`: the examples, and the programs of a folder."""

from __future__ import annotations

import json
from pathlib import Path

from .conftest import Command

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_the_examples(command: Command) -> None:
    done = command("list")
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    shown = {line.split()[0]: line for line in lines[: lines.index("")]}
    assert set(shown) == {one.stem for one in EXAMPLES.glob("*.py")}
    assert all(len(line.split()) > 3 for line in shown.values()), "an example says what it shows"
    assert lines[-1].startswith(f"{len(shown)} programs in ")


def test_json(command: Command) -> None:
    document = json.loads(command("list", "--json").out)
    assert document["schema_version"] == 1
    (one,) = [row for row in document["programs"] if row["name"] == "vecadd"]
    assert one["kernels"] == ["vecadd"] and one["title"].startswith("Vector addition") and Path(one["path"]).name == "vecadd.py"


def test_a_folder_is_read_and_not_run(command: Command, tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text('"""Adds.\n\nMore."""\nraise SystemExit("run")\n@ox.kernel\ndef add(): ...\n')
    (tmp_path / "helper.py").write_text("x = 1\n")
    (tmp_path / "broken.py").write_text("def (\n")
    done = command("list", str(tmp_path))
    assert done.out.splitlines() == ["one  Adds.", "", f"1 programs in {tmp_path}: run one with `oxidepy run PATH`"]
    assert command("list", str(tmp_path / "nothing")).code == 1
