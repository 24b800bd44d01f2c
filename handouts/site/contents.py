"""Which pages there are, in reading order, and what each is called on the site."""

import tomllib
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
INDEX = "README"  # becomes index.html


@dataclass(frozen=True)
class Page:
    """A page of the handouts: its Markdown file, and the group of the contents that it is in."""

    source: Path
    group: str

    @property
    def name(self) -> str:
        """The name without an ending: "lab4"; of the first page "index"."""
        return "index" if self.source.stem == INDEX else self.source.stem

    @property
    def html(self) -> str:
        return f"{self.name}.html"

    @property
    def is_lab(self) -> bool:
        return self.name.startswith("lab")


@dataclass
class Contents:
    """The pages in reading order, and what is wrong with the list of them."""

    pages: list[Page]
    problems: list[str] = field(default_factory=list)

    def of_file(self, name: str) -> Page | None:
        """The page that is made of a file of handouts/, such as "lab4.md"."""
        return next((page for page in self.pages if page.source.name == name), None)

    def groups(self) -> list[tuple[str, list[Page]]]:
        """The groups in order, each with its pages."""
        names = dict.fromkeys(page.group for page in self.pages)
        return [(name, [p for p in self.pages if p.group == name]) for name in names]

    def beside(self, page: Page) -> tuple[Page | None, Page | None]:
        """The previous and the next page; None at an end."""
        index = self.pages.index(page)
        after = self.pages[index + 1] if index + 1 < len(self.pages) else None
        return (self.pages[index - 1] if index else None), after


def read(handouts: Path, listing: Path = HERE / "contents.toml") -> Contents:
    """The contents of a folder of Markdown files. Each file must be listed once."""
    listed = [
        (group["title"], name)
        for group in tomllib.loads(listing.read_text(encoding="utf-8"))["group"]
        for name in group["pages"]
    ]
    names = [name for _, name in listed]
    files = {file.stem: file for file in handouts.glob("*.md")}
    problems = [f"{listing.name} lists {name} twice" for name in names if names.count(name) > 1]
    problems += [
        f"handouts/{files[name].name} is in no group of {listing.name}: nothing leads to its page"
        for name in sorted(set(files) - set(names))
    ]
    pages = [Page(files[name], group) for group, name in dict.fromkeys(listed) if name in files]
    return Contents(pages, list(dict.fromkeys(problems)))
