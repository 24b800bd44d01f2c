"""A question and its answer in the terminal."""

import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass

from grader.model.question import Asked

LETTERS = "abcdefghij"


@dataclass
class Terminal:
    """width: of the lines. colour: whether to use it. read: asks for a line; raises EOFError at
    the end of the input. has_left: the student has ended."""

    width: int
    colour: bool
    read: Callable[[str], str] = input
    has_left: bool = False

    def ask(
        self, number: int, of: int, asked: Asked, is_certain: Callable[[], bool] = lambda: True
    ) -> bool | None:
        """Asks a question, gives one hint after a wrong answer, then the explanation. is_certain:
        of the key, asked once there is an answer. Returns whether the first answer was right; None
        where the student ends, or where the key is not certain."""
        question, key = asked.question, asked.key
        print(f"\n{self._bold(f'question {number} of {of}')}  {question.lab} {question.part}")
        if question.line:
            print(f"  {question.file}:{question.line}\n      {question.code}")
        print(self._filled(question.text))
        if not question.typed:
            for letter, option in zip(LETTERS, question.options, strict=False):
                print(f"    {letter})  {option}")
        right: bool | None = None
        for last in (False, True):
            if (given := self._answer(asked)) is None:
                self.has_left = True
                return right
            if not last and not is_certain():
                print(self._filled("This question is withdrawn; here is another one."))
                return None
            if given == key.answer:
                print(self._filled(f"Right: {key.answer}.", "32"))
                right = right is None
                break
            right = False
            why = key.hint(given)
            print(self._filled(f"Not {given}{why and ': '}{why}.", "31"))
            if last:
                print(self._filled(f"The answer is {key.answer}."))
        print(self._filled(key.why))
        return right

    def _answer(self, asked: Asked) -> str | None:
        """What the student answers, as an option or a number; None at the end."""
        question = asked.question
        what = "number" if question.typed else f"a to {LETTERS[len(question.options) - 1]}"
        while True:
            try:
                given = self.read(f"  your answer ({what}, q to stop): ").strip().lower()
            except UnicodeDecodeError:
                given = "?"
            except (EOFError, RuntimeError, OSError):  # the end, or no input at all
                print()
                return None
            if given in ("q", "quit", "exit"):
                return None
            if question.typed and re.fullmatch(r"[0-9]{1,15}", given):
                return str(int(given))
            place = LETTERS.find(given) if len(given) == 1 else -1
            if not question.typed and 0 <= place < len(question.options):
                return question.options[place]
            print(f"  please answer with {'a whole number' if question.typed else what}")

    def _filled(self, text: str, colour: str = "") -> str:
        filled = textwrap.fill(
            text, self.width, initial_indent="  ", subsequent_indent="  ",
            break_long_words=False, break_on_hyphens=False,
        )  # fmt: skip
        return f"\x1b[{colour}m{filled}\x1b[0m" if self.colour and colour else filled

    def _bold(self, text: str) -> str:
        return f"\x1b[1m{text}\x1b[0m" if self.colour else text
