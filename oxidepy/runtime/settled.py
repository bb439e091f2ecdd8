"""The settings of this process as the runtime reads them: a malformed one is a LaunchError with the setting's own code."""

from __future__ import annotations

from oxidepy.diagnostics import DeviceError, LaunchError
from oxidepy.runtime.refusal import device_error
from oxidepy.settings.active import Settings, active_settings
from oxidepy.settings.env import PRINT_BUFFER, TIMEOUT
from oxidepy.settings.errors import SettingsError


def settings() -> Settings:
    """What holds now."""
    try:
        return active_settings()
    except SettingsError as error:
        raise _refused(error) from None


def time_limit() -> float | None:
    """OXIDEPY_TIMEOUT: the seconds that a wait may take, or None."""
    try:
        return TIMEOUT.get()
    except SettingsError as error:
        raise _refused(error) from None


def print_buffer() -> int:
    """OXIDEPY_PRINT_BUFFER: bytes for what the launches under way on a stream print."""
    try:
        found = PRINT_BUFFER.get()
    except SettingsError as error:
        raise _refused(error) from None
    return 1 << 20 if found is None else found


def _refused(error: SettingsError) -> LaunchError:
    from oxidepy.diagnostics.render import from_settings

    return LaunchError(from_settings(error))


def timed_out(kernel: str | None, limit: float) -> DeviceError:
    """The error of a wait that took longer than OXIDEPY_TIMEOUT."""
    what = f"the kernel `{kernel}`" if kernel else "the work of the stream"
    return device_error(
        "OX6005",
        f"{what} did not end within {limit:g} s (OXIDEPY_TIMEOUT)",
        notes=["it may still be running; the stream cannot be used until it ends"],
        help="look for a loop that does not end, or raise OXIDEPY_TIMEOUT",
    )
