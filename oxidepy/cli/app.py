"""From the arguments to the command: global options, the lazy table, exit codes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib import import_module
from typing import Annotated, Any

import typer

from oxidepy.cli.commands import COMMANDS, Command
from oxidepy.cli.guard import INTERRUPTED, guarded
from oxidepy.cli.output import COLORS, OUTPUT, misused, set_color

EPILOG = "Examples:  oxidepy new vecadd_demo  ·  oxidepy run  ·  oxidepy check --message-format json src  ·  oxidepy explain OX0308"


def run_app(given: list[str]) -> int:
    """Run a command line without the program's name; gives the exit code."""
    try:
        arguments = _global_options(given)
    except ValueError as error:
        return misused(str(error), f"it takes one of {', '.join(COLORS)}")
    name = next((one for one in arguments if not one.startswith("-")), None)
    if not arguments:
        arguments = ["--help"]
    elif name is not None and arguments[0] == name and name not in COMMANDS:
        from oxidepy.diagnostics.names import suggest

        close = suggest(name, COMMANDS)
        return misused(f"there is no command {name!r}", f"did you mean {close!r}?" if close else "`oxidepy --help` lists the commands")
    app = _app(arguments[0])
    try:
        code = app(arguments, prog_name="oxidepy", standalone_mode=False)
    except USAGE as error:
        return _misused(error, f"oxidepy {name} --help" if name in COMMANDS else "oxidepy --help")
    except typer.Abort:
        return INTERRUPTED
    return code if isinstance(code, int) else 0


USAGE: Any = typer.BadParameter.__mro__[1]  # what Typer raises for a command line that it cannot read


def _misused(error: Any, help: str) -> int:
    """Say in our words what Typer has found."""
    text = str(error.message).removeprefix("Value error, ").rstrip(".")
    parameter = getattr(error, "param", None)
    if hasattr(error, "possibilities"):  # there is no such option
        params: list[Any] = error.ctx.command.params if error.ctx is not None else []
        from oxidepy.diagnostics.names import suggest

        close = suggest(error.option_name, [option for one in params for option in one.opts])
        passes_on = any(one.name == "arguments" for one in params)
        way = f"`{help}` lists them" + ("; what is for the program stands behind `--`" if passes_on else "")
        return misused(f"there is no option {error.option_name!r}", f"did you mean {close!r}?" if close else way)
    if parameter is not None:
        option = next((one for one in parameter.opts if one.startswith("--")), parameter.metavar or parameter.name)
        text = f"{option}: {text}" if text else f"{option} is missing"
    return misused(text[:1].lower() + text[1:] if parameter is None else text, f"`{help}` says what it takes")


def _global_options(given: list[str]) -> list[str]:
    """Take --color, -q and -v out, wherever they stand before `--`, and what stands behind it; ValueError on a malformed one."""
    end = given.index("--") if "--" in given else len(given)
    OUTPUT.rest = given[end + 1 :]  # for the program: Typer would take its first argument for the path that `run` may lack
    rest: list[str] = []
    pending = iter(given[:end])
    for one in pending:
        if one in ("-q", "--quiet"):
            OUTPUT.verbosity -= 1
        elif one == "--verbose" or (one.startswith("-v") and set(one[1:]) == {"v"}):
            OUTPUT.verbosity += 1 if one == "--verbose" else len(one) - 1
        elif one == "--color" or one.startswith("--color="):
            value = one.partition("=")[2] if "=" in one else next(pending, "")
            if value not in COLORS:
                raise ValueError(f"--color is {value!r}" if value else "--color lacks its value")
            set_color(value)
        else:
            rest.append(one)
    return rest


def _app(called: str) -> typer.Typer:
    """The application with the one command that is called, and the names and helps of the others."""
    settings: dict[str, Any] = {"help_option_names": ["-h", "--help"]}
    app = typer.Typer(
        name="oxidepy",
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings=settings,
        epilog=EPILOG,
    )
    app.callback()(_root)
    for name, command in COMMANDS.items():
        function = _loaded(command) if name == called else _listed
        doc = function.__doc__ if name == called and function.__doc__ else command.help
        app.command(name, help=doc, short_help=command.help, context_settings=settings)(function)
    return app


def _root(
    color: Annotated[
        str, typer.Option("--color", metavar="auto|always|never", help="Colours; NO_COLOR and FORCE_COLOR count too.")
    ] = "auto",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say less.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Say more.")] = False,
    version: Annotated[bool, typer.Option("--version", "-V", help="Print the version.")] = False,
) -> None:
    """GPU kernels in typed Python: write, check, run, build.

    Exit codes: 0 fine, 1 errors found, 2 wrong use, 86 findings of `sanitize`, else the program's own.
    """
    del color, quiet, verbose, version  # taken out before, since they may stand behind a command too; here for the help


def _listed() -> None:
    """Stands in the list of commands for one that is not called."""


def _loaded(command: Command) -> Callable[..., Any]:
    function: Callable[..., int | None] = getattr(import_module(command.module), command.function)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> None:
        raise typer.Exit(guarded(lambda: function(*args, **kwargs)))

    return call
