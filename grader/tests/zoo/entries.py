from collections.abc import Iterable


def changed_since(base: str, changed: Iterable[str]) -> set[str]:
    return {"/".join(n.split("/")[3:5]) for n in changed if n.startswith("grader/tests/zoo/lab")}
