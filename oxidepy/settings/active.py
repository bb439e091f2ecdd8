"""The settings in force: flags over environment over file. What none of them says is detected by whoever asks."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from oxidepy.settings import env
from oxidepy.settings.config import Config, Flags, find_config
from oxidepy.settings.options import CodegenOptions

DEFAULT_CACHE_SIZE = 2 << 30
DEFAULT_PROOF_LIMIT = 10_000_000  # rlimit units of z3 for one question


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of this process. `device` None and `arch` empty mean: detect.

    `cache_size` in bytes, `timeout` in seconds (None: no limit), `root` the project's folder, relative to which file names are kept.
    """

    device: str | None
    arch: tuple[str, ...]
    options: CodegenOptions
    cache_dir: str | None
    cache_size: int
    ignore: tuple[str, ...]
    proof_limit: int
    log: str
    timeout: float | None
    root: Path | None
    config: Config


_flags = Flags()


def set_flags(flags: Flags) -> None:
    """Called once by the command line, before the program is imported."""
    global _flags
    _flags = flags


def active_settings() -> Settings:
    """What holds now; the environment is read anew at each call. SettingsError OX8001 or OX8002 on a malformed value."""
    return resolve(_flags)


def resolve(flags: Flags) -> Settings:
    config = flags.config if flags.config is not None else find_config(program_place())
    size = env.CACHE_SIZE.get()
    return Settings(
        device=flags.device or env.DEVICE.get() or config.device,
        arch=flags.arch or env.ARCH.get() or config.arch,
        options=CodegenOptions(
            fmad=_first(flags.fmad, config.fmad, True),
            lineinfo=_first(flags.lineinfo, config.lineinfo, True),
            unchecked_indexing=flags.unchecked_indexing,
            no_assert=flags.no_assert,
            device_debug=flags.device_debug,
        ),
        cache_dir=env.CACHE_DIR.get(),
        cache_size=size if size is not None else config.cache_size if config.cache_size is not None else DEFAULT_CACHE_SIZE,
        ignore=config.ignore,
        proof_limit=config.proof_limit or DEFAULT_PROOF_LIMIT,
        log=env.LOG.get() or "warning",
        timeout=env.TIMEOUT.get(),
        root=config.root,
        config=config,
    )


def program_place() -> Path:
    """The file of the running program, else (notebook, interactive, `-c`) the working directory."""
    file = getattr(sys.modules.get("__main__"), "__file__", None)
    return Path(file) if isinstance(file, str) else Path.cwd()


def _first(flag: bool | None, said: bool | None, default: bool) -> bool:
    return flag if flag is not None else said if said is not None else default
