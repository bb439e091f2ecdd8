"""Environment variables, `[tool.oxidepy]`, options, and which of them wins."""

from __future__ import annotations

import os
import pathlib
import re

import pytest

from oxidepy.settings import config as config_module
from oxidepy.settings import env
from oxidepy.settings.active import DEFAULT_CACHE_SIZE, resolve
from oxidepy.settings.config import Config, Flags, find_config
from oxidepy.settings.errors import SettingsError
from oxidepy.settings.options import OPTIONS, CodegenOptions, docs_table


@pytest.mark.parametrize(
    ("variable", "text", "value"),
    [
        (env.DEVICE, "cuda", "cuda:0"),
        (env.DEVICE, "cuda:3", "cuda:3"),
        (env.DEVICE, "interp", "interp"),
        (env.ARCH, "sm_90a", ("sm_90a",)),
        (env.ARCH, "sm_80, sm_120a,sm_80", ("sm_80", "sm_120a")),
        (env.CACHE_SIZE, "512M", 512 << 20),
        (env.CACHE_SIZE, "2G", 2 << 30),
        (env.CACHE_SIZE, "3 KiB", 3072),
        (env.CACHE_SIZE, "0", 0),
        (env.TIMEOUT, "1.5", 1.5),
        (env.TIMEOUT, "0", None),
        (env.LOG, "DEBUG", "debug"),
        (env.LOG, "", None),
    ],
)
def test_variable(monkeypatch: pytest.MonkeyPatch, variable: env.Variable[object], text: str, value: object) -> None:
    monkeypatch.setenv(variable.name, text)
    assert variable.get() == value


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        (env.DEVICE, "gpu"),
        (env.DEVICE, "cuda:01"),
        (env.DEVICE, "cuda:x"),
        (env.ARCH, "compute_80"),
        (env.ARCH, "sm_80,"),
        (env.CACHE_SIZE, "-1"),
        (env.CACHE_SIZE, "many"),
        (env.TIMEOUT, "nan"),
        (env.TIMEOUT, "-3"),
        (env.LOG, "loud"),
    ],
)
def test_malformed_variable(monkeypatch: pytest.MonkeyPatch, variable: env.Variable[object], text: str) -> None:
    monkeypatch.setenv(variable.name, text)
    with pytest.raises(SettingsError) as caught:
        variable.get()
    assert caught.value.code == "OX8001"
    assert variable.name in str(caught.value) and repr(text) in str(caught.value)


def test_no_other_module_reads_our_variables() -> None:
    package = pathlib.Path(config_module.__file__).parents[1]
    reads = re.compile(r"""(environ\.get|getenv)\W+OXIDEPY_|environ\[\W?OXIDEPY_\w+\W?\](?!\s*=[^=])""")
    strangers = [path.name for path in package.rglob("*.py") if path.name != "env.py" and reads.search(path.read_text(encoding="utf-8"))]
    assert strangers == []


def project(folder: pathlib.Path, text: str) -> Config:
    (folder / "pyproject.toml").write_text(text, encoding="utf-8")
    return find_config(folder / "src" / "main.py")


def test_every_key(tmp_path: pathlib.Path) -> None:
    found = project(
        tmp_path,
        '[tool.oxidepy]\nentry = "src/main.py"\narch = ["sm_80", "sm_90a"]\ndevice = "cpu"\nfmad = false\nlineinfo = false\n'
        'proof-limit = 5000\nignore = ["OX9001"]\ncache-size = "1M"\n',
    )
    assert found == Config(
        entry="src/main.py",
        arch=("sm_80", "sm_90a"),
        device="cpu",
        fmad=False,
        lineinfo=False,
        proof_limit=5000,
        ignore=("OX9001",),
        cache_size=1 << 20,
        path=tmp_path / "pyproject.toml",
        root=tmp_path,
    )
    assert found.entry_path == tmp_path / "src" / "main.py"


@pytest.mark.parametrize(
    ("line", "message", "column", "help"),
    [
        ("entri = 'x'", "no key 'entri'", 1, "did you mean 'entry'?"),
        ("fmad = 1", "fmad is 1, which is not true or false", 1, None),
        ("  device = 'gpu'", "device is 'gpu', which is not a device", 3, None),
        ("arch = []", "arch is [], which is not a GPU architecture", 1, None),
        ("arch = 'compute_90'", "arch is 'compute_90'", 1, None),
        ("proof-limit = true", "proof-limit is True, which is not a positive integer", 1, None),
        ("ignore = ['OX0308']", "errors cannot be silenced", 1, None),
        ("ignore = 'OX9001'", "which is not a list of warnings", 1, None),
        ("cache-size = -1", "cache-size is -1", 1, None),
        ("entry = 3", "which is not a path as a string", 1, None),
    ],
)
def test_faults_have_a_place(tmp_path: pathlib.Path, line: str, message: str, column: int, help: str | None) -> None:
    with pytest.raises(SettingsError) as caught:
        project(tmp_path, f"[project]\nname = 'x'\n\n[tool.oxidepy]\n{line}\n")
    error = caught.value
    assert error.code == "OX8002" and message in error.message
    assert (error.file, error.line, error.column) == (str(tmp_path / "pyproject.toml"), 5, column)
    assert help is None or error.help == help


def test_not_toml(tmp_path: pathlib.Path) -> None:
    with pytest.raises(SettingsError) as caught:
        project(tmp_path, "[tool.oxidepy]\nentry = \n")
    assert (caught.value.code, caught.value.line) == ("OX8002", 2)


def test_nearest_table_wins_and_an_edit_is_seen(tmp_path: pathlib.Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "pyproject.toml").write_text("[tool.oxidepy]\ndevice = 'interp'\n")
    assert project(inner, "[project]\nname = 'x'\n").device == "interp"
    assert project(inner, "[tool.oxidepy]\n") == Config(path=inner / "pyproject.toml", root=inner)
    (inner / "pyproject.toml").write_text("[tool.oxidepy]\ndevice = 'cpu'\n")
    os.utime(inner / "pyproject.toml", ns=(1, 1))
    assert find_config(inner).device == "cpu"


def test_no_table_gives_the_project_root(tmp_path: pathlib.Path) -> None:
    found = project(tmp_path, "[project]\nname = 'x'\n")
    assert found.path is None and found.root == tmp_path


def test_flags_over_environment_over_file_over_detection(monkeypatch: pytest.MonkeyPatch) -> None:
    said = Config(device="cpu", arch=("sm_80",), fmad=False, cache_size=7)
    assert resolve(Flags(config=Config())).device is None
    assert resolve(Flags(config=said)).device == "cpu"
    monkeypatch.setenv("OXIDEPY_DEVICE", "interp")
    monkeypatch.setenv("OXIDEPY_CACHE_SIZE", "0")
    assert resolve(Flags(config=said)).device == "interp"
    assert resolve(Flags(config=said)).cache_size == 0
    assert resolve(Flags(config=said, device="cuda:1")).device == "cuda:1"
    assert resolve(Flags(config=said)).options == CodegenOptions(fmad=False)
    assert resolve(Flags(config=said, fmad=True, arch=("sm_90a",))).options.fmad is True
    assert resolve(Flags(config=said, arch=("sm_90a",))).arch == ("sm_90a",)
    monkeypatch.delenv("OXIDEPY_CACHE_SIZE")
    assert resolve(Flags(config=said)).cache_size == 7
    assert resolve(Flags(config=Config())).cache_size == DEFAULT_CACHE_SIZE


def test_options_survive_json_and_are_checked() -> None:
    options = CodegenOptions(fmad=False, max_registers=64)
    assert CodegenOptions.from_json(options.to_json()) == options
    assert hash(options) == hash(CodegenOptions(fmad=False, max_registers=64))
    for registers in (0, 8, 256, True):
        with pytest.raises(SettingsError, match="max_registers"):
            CodegenOptions(max_registers=registers)
    with pytest.raises(SettingsError, match="fmadd"):
        CodegenOptions.from_json({"fmadd": True})


def test_tables_name_everything() -> None:
    assert {one.field for one in OPTIONS} == set(CodegenOptions().to_json())
    assert all(name in env.docs_table() for name in env.VARIABLES)
    assert all(f"`{name}`" in config_module.docs_table() for name in config_module.KEYS)
    assert "--no-fmad" in docs_table()
