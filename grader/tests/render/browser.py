"""Finds a Chromium for the tests of the report, and makes screenshots of reports.

    python -m grader.tests.render.browser [wrong] [slow] [full]

writes build/screenshots/*.png: three reports, each light, dark, and as wide as a phone.
"""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from grader import paths
from grader.tests import captured
from grader.tests.known_submissions import entries

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
# A page that unpacks its data has the attribute until it has; a figure has no body.
READY = ":root:not(:has(> body[aria-busy]))"
SHOTS = {  # what is graded for each screenshot: a known submission, or a lab's solution
    "wrong": "lab4/apron-left-missing",
    "slow": "lab1/slow-loop-order",
    "full": "lab6",
}


@cache
def installed() -> str | None:
    """A Chromium that starts; "" for Playwright's own; None when there is none.

    Ubuntu's chromium is a stub that asks for a snap: only one that prints its version counts.
    """
    for name in NAMES:
        program = shutil.which(name)
        if program and _starts(program):
            return program
    with sync_playwright() as player:
        own = player.chromium.executable_path
    return "" if Path(own).exists() and _starts(own) else None


def _starts(program: str) -> bool:
    try:
        done = captured.run([program, "--version"], timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and any(n in done.stdout for n in ("Chromium", "Chrome"))


@contextmanager
def browser() -> Iterator[Browser]:
    """A running Chromium. Raises FileNotFoundError when there is none."""
    program = installed()
    if program is None:
        raise FileNotFoundError(
            f"no browser: install one of {', '.join(NAMES)}, or run playwright install chromium"
        )
    with sync_playwright() as player:
        chromium = player.chromium.launch(executable_path=program or None)
        try:
            yield chromium
        finally:
            chromium.close()


@contextmanager
def browser_or_skip() -> Iterator[Browser]:
    """For fixtures: a running Chromium; skips the tests when there is none."""
    if installed() is None:
        pytest.skip(
            f"needs a browser: no Chromium that starts: {', '.join(NAMES)}, nor Playwright's own"
        )
    with browser() as running:
        yield running


def messages_and_requests(chromium: Browser, file: Path) -> tuple[list[str], list[str]]:
    """Opens a page, and returns what it says to the console or in dialogs, and the addresses that
    it loads, its own included, data: left out."""
    page = chromium.new_page()
    messages: list[str] = []
    requests: list[str] = []
    page.on("console", lambda message: messages.append(message.text))
    page.on("pageerror", lambda error: messages.append(str(error)))
    page.on("dialog", lambda dialog: messages.append(dialog.message))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(file.as_uri())
    page.wait_for_selector(READY)
    page.close()
    return messages, [url for url in requests if not url.startswith("data:")]


def opened(chromium: Browser, file: Path, width: int = 1100, dark: bool = False) -> Page:
    context = chromium.new_context(
        viewport={"width": width, "height": 800}, color_scheme="dark" if dark else "light"
    )
    page = context.new_page()
    page.goto(file.resolve().as_uri())
    page.wait_for_selector(READY)
    return page


def screenshots(folder: Path, names: list[str]) -> None:
    """Grades the submissions of SHOTS and makes screenshots of their reports."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        lab, _, entry = SHOTS[name].partition("/")
        source = entries.write(entries.find(SHOTS[name])) if entry else paths.SOLUTIONS
        report = folder / f"{name}.html"
        grade = [str(paths.ROOT / "grade"), lab, "--src", str(source), "--html", str(report)]
        subprocess.run(grade, stdout=subprocess.DEVNULL, check=False)
        with browser() as chromium:
            for dark in (False, True):
                page = opened(chromium, report, dark=dark)
                theme = "dark" if dark else "light"
                page.screenshot(path=folder / f"{name}-{theme}.png", full_page=True)
            page = opened(chromium, report, width=360)
            page.screenshot(path=folder / f"{name}-narrow.png", full_page=True)
        print(folder / f"{name}-light.png", folder / f"{name}-dark.png")


if __name__ == "__main__":
    try:
        screenshots(paths.BUILD / "screenshots", sys.argv[1:] or list(SHOTS))
    except FileNotFoundError as problem:
        sys.exit(str(problem))
