"""The command line's frame: the verbs' groups, and the one place where an error becomes a sentence and an exit status."""

import sys

import click
import typer

from bellek.cli import conversations, curate, hot, keep, projects, queue, read, review, setup
from bellek.cli.screen import complain
from bellek.schemas.errors import BellekError

app = typer.Typer(
    name="bellek",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="A typed, local-first memory for AI agents.",
)
for group in (hot, queue, curate, read, conversations, review, projects, keep, setup):
    group.add_to(app)


def main() -> None:
    """Run one verb. Exit statuses: 0 done · 1 failed · 2 usage · 3 a person is needed · 4 busy · 5 store damaged, newer or read-only."""
    try:
        status = app(standalone_mode=False)
    except BellekError as exc:
        complain(f"bellek: {exc}")
        sys.exit(exc.exit_code)
    except click.exceptions.NoArgsIsHelpError as exc:
        complain(exc.format_message())
        sys.exit(2)
    except click.ClickException as exc:
        complain(f"bellek: {exc.format_message()} Run the command with --help.")
        sys.exit(exc.exit_code)
    except (click.Abort, KeyboardInterrupt):
        complain("bellek: stopped")
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    sys.exit(status if isinstance(status, int) else 0)
