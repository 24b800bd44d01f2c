"""The badges of README.md: the course in a browser, and in a dev container.

Both services fetch the course from its address. While it has none, the badges lead to the notebook
and to the page that explains containers.
"""

from handouts import address

GITHUB = "https://github.com/"
NOTEBOOK, CONTAINER = "handouts/convlabs.ipynb", "handouts/container.md#dev-containers"


def content() -> str:
    """Two pictures, each a link."""
    return of(address.repository())


def of(repository: str) -> str:
    """The badges of a course at this address."""
    browser, container = NOTEBOOK, CONTAINER
    if repository.startswith(GITHUB):
        name = repository.removeprefix(GITHUB)
        browser = f"https://colab.research.google.com/github/{name}/blob/main/{NOTEBOOK}"
        container = f"https://codespaces.new/{name}"
    return (
        f"[![Run it in a browser](handouts/figures/badge_browser.svg)]({browser})\n"
        f"[![Open it in a dev container](handouts/figures/badge_container.svg)]({container})"
    )
