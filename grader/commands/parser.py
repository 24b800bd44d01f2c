"""Parses the options of a command with the standard library alone."""

import argparse
from typing import NoReturn

from grader.commands import overview
from grader.commands.errors import UsageError
from grader.commands.output import Colour


class Parser(argparse.ArgumentParser):
    """argparse for `./grade COMMAND`; a mistake on the command line is a UsageError."""

    def __init__(self, command: str) -> None:
        super().__init__(
            prog=f"./grade {command}", description=overview.sentence(command), allow_abbrev=False
        )

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; see {self.prog} --help")

    def add_colour(self) -> None:
        """Declares --color."""
        self.add_argument(
            "--color",
            type=Colour,
            choices=list(Colour),
            default=Colour.auto,
            metavar="|".join(Colour),
            help="auto, the default: on a terminal only",
        )
