"""Changes JSON so that it stays JSON: the decoder is in C, where atheris sees no coverage."""

import json
import random
from typing import Any

VALUES: tuple[Any, ...] = (
    *(None, True, False, "", "x", "\ud800", "\u202e\x1b[31m", [], {}, [1], {"a": 1}),
    *(0, 1, -1, 31, 32, 33, 2**31, 2**32 - 1, 2**40, 2**53, 2**62, 2**63, 2**64, 10**400),
    *(0.5, -0.0, 1e308, float("nan"), float("inf")),
)


def slots(value: Any) -> list[tuple[Any, Any]]:
    """Every place of a value inside the JSON: its container and its key or index."""
    found = []
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in list(items):
        found.append((value, key))
        if isinstance(inner, dict | list):
            found += slots(inner)
    return found


def mutate(text: bytes, seed: int) -> bytes | None:
    """The text with one line, which is an object in JSON, changed; None where none is."""
    choose = random.Random(seed)
    lines = text.split(b"\n")
    number = choose.randrange(len(lines))
    try:
        value = json.loads(lines[number])
        known = slots(value) if isinstance(value, dict | list) else []
    except (ValueError, RecursionError):
        return None
    for _ in range(choose.randint(1, 3)):
        if not known:
            return None
        container, key = choose.choice(known)
        other, name = choose.choice(known)
        try:
            container[key] = choose.choice((choose.choice(VALUES), other[name]))
        except (IndexError, KeyError):
            continue
        if choose.random() < 0.1 and isinstance(container, dict):
            container.pop(key, None)
        elif choose.random() < 0.1 and isinstance(container, list):
            container.append(container[key])
    try:
        lines[number] = json.dumps(value, ensure_ascii=choose.random() < 0.5).encode(
            errors="surrogatepass"
        )
    except (ValueError, RecursionError):
        return None
    if choose.random() < 0.2:
        lines.insert(number, lines[number])
    return b"\n".join(lines)
