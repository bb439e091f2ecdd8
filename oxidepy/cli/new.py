"""`oxidepy new`: a project from a template."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from oxidepy.cli.output import OUTPUT, fail, misused, say


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="the project's name, or a path that ends in it")],
    template: Annotated[str, typer.Option("--template", metavar="NAME", help="what kind of project")] = "vecadd",
) -> int:
    """Write a new project: pyproject.toml, src/main.py, a test, a CI workflow, README.

    Example: oxidepy new vecadd_demo
    """
    from oxidepy.diagnostics.names import suggest
    from oxidepy.settings.version import __version__
    from oxidepy.templates.project import ProjectError, check_name, template_names, write_project

    if template not in template_names():
        close = suggest(template, template_names())
        return misused(
            f"there is no template {template!r}",
            f"did you mean {close!r}?" if close else "the templates are " + ", ".join(template_names()),
        )
    folder = Path(name)
    try:
        check_name(folder.name or name)
        files = write_project(folder, folder.name, template, version=__version__)
    except ProjectError as error:
        return fail(str(error), error.help)
    say(f"created {folder} from the template {template}")
    if OUTPUT.verbosity > 0:
        say("".join(f"  {folder / one}\n" for one in files).rstrip())
    say(f"\n  cd {shlex.quote(str(folder))}\n  oxidepy run")
    return 0
