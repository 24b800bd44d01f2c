"""Random programs of simt.py: nested loops, branches, switches, calls, jumps. Every load depends on
those before it, and every loop loads, so that no compiler can leave one out or reuse it."""

import random
from typing import Any

from labs.tests.sim.profile.simt import Expression, Functions, Statement

JUMPS = ("break", "continue", "return")


class Writer:
    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.random = random.Random(seed)
        self.count = 0
        self.functions: Functions = {}
        self.thread = "t"  # what tells lanes apart

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def fresh(self) -> int:
        self.count += 1
        return self.count

    def address(self, names: list[str]) -> str:
        factor = self.random.choice([1, 3, 5, 7])
        return f"s * {factor} + {self.random.choice(names)} * 2 + {self.fresh() * 13}"

    def condition(self, names: list[str], depth: int) -> Expression:
        if depth > 0 and self.chance(0.3):
            kind = self.random.choice(["and", "or"])
            return (kind, self.condition(names, depth - 1), self.condition(names, depth - 1))
        if self.chance(0.3):
            limit = self.random.randrange(100000, 900000)
            return ("op", "<", ("load", self.address(names)), str(limit))
        modulus = self.random.choice([3, 5, 7, 9])
        other = self.random.choice([n for n in names if n != "s"])
        sign = self.random.choice(["<", ">", "=="])
        limit = self.random.randrange(1, modulus - 1)
        return f"(s + {other} * 2 + {self.fresh() * 7}) % {modulus} {sign} {limit}"

    def value(self, names: list[str], depth: int) -> Expression:
        if depth > 0 and self.chance(0.12):
            return ("?", self.condition(names, 1), self.value(names, 0), self.value(names, 0))
        if depth > 0 and self.functions and self.chance(0.2):
            name = self.random.choice(list(self.functions))
            return ("call", name, [f"s + {self.fresh()}"])
        return ("op", self.random.choice("+^"), "s", ("load", self.address(names)))

    def block(self, names: list[str], depth: int, loop: bool, switch: bool) -> list[Statement]:
        count = self.random.randrange(1, 4)
        return [self.statement(names, depth, loop, switch) for _ in range(count)]

    def jump(self, names: list[str], loop: bool, switch: bool) -> Statement:
        kinds = ["return"] + ["break", "continue"] * 2 * loop + ["break"] * 2 * switch
        kind = self.random.choice(kinds)
        return ("return", self.value(names, 0)) if kind == "return" else (kind,)

    def counted(self, names: list[str], depth: int) -> tuple[str, list[Statement]]:
        """A new variable, and the body of a loop that may use it."""
        name = f"k{self.fresh()}"
        inner = [*names, name]
        return name, [("set", "s", self.value(inner, 0)), *self.block(inner, depth, True, False)]

    def statement(self, names: list[str], depth: int, loop: bool, switch: bool) -> Statement:
        kind = self.random.random()
        if depth == 0 or kind < 0.25:
            return ("set", "s", self.value(names, 1))
        if kind < 0.5:
            body = self.block(names, depth - 1, loop, switch)
            if self.chance(0.35):
                body.append(self.jump(names, loop, switch))
            if self.chance(0.5):
                return ("if", self.condition(names, 1), body,
                        self.block(names, depth - 1, loop, switch))  # fmt: skip
            return ("if", self.condition(names, 1), body)
        if kind < 0.75:
            name, body = self.counted(names, depth - 1)
            few = self.random.randrange(2, 6)
            rounds = self.random.choice([str(few), f"{self.thread} % {few} + 1"])
            return ("for", name, "0", f"{name} < {rounds}", 1, body)
        if kind < 0.9:
            name, body = self.counted(names, depth - 1)
            body.insert(0, ("set", name, f"{name} + 1"))
            head = ("and", f"{name} < {self.random.randrange(2, 6)}", self.condition(names, 0))
            repeat: Any = ("do", body, head) if self.chance(0.5) else ("while", head, body)
            return ("if", "1 == 1", [("let", name, "0"), repeat])
        cases: list[Any] = []
        for value in range(self.random.randrange(2, 5)):
            body = self.block(names, depth - 1, loop, True)
            if self.chance(0.7):
                body.append(("break",))
            cases.append(([value], body))
        if self.chance(0.5):
            cases.append((None, self.block(names, depth - 1, loop, True)))
        return ("switch", f"(s + {self.thread} * 3) % {self.random.randrange(4, 7)}", cases)


def program(seed: int) -> tuple[list[Statement], Functions]:
    """A program, and the functions that it may call."""
    writer = Writer(seed)
    last = ("return", ("op", "+", "s", ("load", "s * 3")))
    for i in range(writer.random.randrange(0, 3)):
        writer.thread = "x"
        body = writer.block(["s", "x"], writer.random.choice([1, 1, 2]), False, False)
        writer.functions[f"f{seed}_{i}"] = (["x"], [("let", "s", "x"), *body, last])
    writer.thread = "t"
    body = writer.block(["s", "t"], writer.random.choice([2, 2, 3]), False, False)
    return [*body, last], writer.functions
