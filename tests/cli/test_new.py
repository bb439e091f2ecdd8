"""`oxidepy new`: names, folders, and that what it writes is sound."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import oxidepy

from oxidepy.settings.config import find_config
from oxidepy.templates.project import ProjectError, check_name, template_names, write_project


@pytest.mark.parametrize("name", ["vecadd_demo", "a", "my-project", "Gauss2d", "x1_2-y"])
def test_good_names(name: str) -> None:
    assert check_name(name) is None


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("class", "keyword"),
        ("None", "keyword"),
        ("1st", "not a valid package name"),
        ("", "not a valid package name"),
        ("a b", "not a valid package name"),
        ("a.b", "not a valid package name"),
        ("..", "not a valid package name"),
        ("_x", "not a valid package name"),
        ("x_", "not a valid package name"),
        ("größe", "not a valid package name"),
        ("json", "name of a module"),
        ("oxidepy", "name of a module"),
    ],
)
def test_bad_names(name: str, message: str) -> None:
    with pytest.raises(ProjectError, match=message) as caught:
        check_name(name)
    assert caught.value.help


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("new")
    done = oxidepy("new", "vecadd_demo", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "created vecadd_demo from the template vecadd\n\n  cd vecadd_demo\n  oxidepy run\n"
    return folder / "vecadd_demo"


def test_what_is_written(project: Path) -> None:
    files = {str(path.relative_to(project)) for path in project.rglob("*") if path.is_file()}
    assert files == {".github/workflows/ci.yml", ".gitignore", "README.md", "pyproject.toml", "src/main.py", "tests/test_main.py"}
    assert not any("{{" in (project / one).read_text() or "{%" in (project / one).read_text() for one in files)
    config = find_config(project / "src" / "main.py")
    assert config.entry_path == project / "src" / "main.py" and config.root == project
    compile((project / "src" / "main.py").read_text(), "main.py", "exec")


def test_what_is_written_is_clean(project: Path) -> None:
    command = [sys.executable, "-m", "ruff"]
    if subprocess.run([*command, "--version"], capture_output=True).returncode:
        pytest.skip("ruff is not installed")
    for action in (["check", "--select", "E,F,W,I,UP,B"], ["format", "--check"]):
        done = subprocess.run([*command, *action, "--isolated", "--no-cache", "."], capture_output=True, text=True, cwd=project)
        assert done.returncode == 0, done.stdout


def test_its_program_runs(project: Path) -> None:
    done = oxidepy("run", cwd=project, OXIDEPY_DEVICE="cpu")
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("PASSED: all 1024 elements correct\n")


def test_its_host_code_is_not_blamed(project: Path) -> None:
    done = oxidepy(
        "check", "src/main.py", "tests/test_main.py", "--strict", cwd=project, PYTHONPATH=os.pathsep.join([str(project / "src"), *sys.path])
    )
    assert done.returncode == 0, done.stderr


def test_its_tests_pass(project: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, env=environment)
    assert done.returncode == 0 and "5 passed" in done.stdout, done.stdout


def test_an_existing_folder(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert oxidepy("new", "empty", cwd=tmp_path).returncode == 0
    again = oxidepy("new", "empty", cwd=tmp_path)
    assert again.returncode == 2 and "exists and is not empty" in again.stderr
    (tmp_path / "file").write_text("mine")
    assert "exists and is no folder" in oxidepy("new", "file", cwd=tmp_path).stderr
    assert (tmp_path / "file").read_text() == "mine"


def test_a_path(tmp_path: Path) -> None:
    done = oxidepy("-v", "new", "some where/deep/demo", cwd=tmp_path)
    assert done.returncode == 0 and "cd 'some where/deep/demo'" in done.stdout
    assert (tmp_path / "some where" / "deep" / "demo" / "src" / "main.py").is_file()
    assert os.path.join("demo", "src", "main.py") in done.stdout  # -v lists the files


def test_unknown_template(tmp_path: Path) -> None:
    done = oxidepy("new", "demo", "--template", "vecad", cwd=tmp_path)
    assert done.returncode == 2 and "did you mean 'vecadd'?" in done.stderr and not (tmp_path / "demo").exists()


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ProjectError, match="cannot be written"):
        write_project(tmp_path / "file" / "demo", "demo", "vecadd", version="0")


def test_every_template_is_offered() -> None:
    assert "vecadd" in template_names()
