"""A command whose options come in groups: a dataclass for each, with a field for each option."""

from collections.abc import Callable
from dataclasses import MISSING, Field, fields
from inspect import Parameter, Signature
from typing import Any, get_type_hints


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """The command as Typer declares it: with the fields of its groups as parameters."""
    groups: list[type] = [
        kind for name, kind in get_type_hints(command).items() if name != "return"
    ]
    parameters = [each for group in groups for each in _parameters(group)]

    def run(**values: Any) -> None:
        command(*(group(**{f.name: values[f.name] for f in fields(group)}) for group in groups))

    run.__doc__, run.__name__ = command.__doc__, command.__name__
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return run


def _parameters(group: type) -> list[Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        Parameter(f.name, Parameter.KEYWORD_ONLY, default=_default(f), annotation=hints[f.name])
        for f in fields(group)
    ]


def _default(field: Field[Any]) -> Any:
    return Parameter.empty if field.default is MISSING else field.default
