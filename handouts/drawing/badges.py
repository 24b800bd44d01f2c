"""The badges of README.md: what each leads to, in two words."""

from handouts.drawing.canvas import BLUE, INK, PALE_BLUE, PALE_GREY, Drawing

HEIGHT = 24


def badge_browser() -> Drawing:
    """A link to the notebook."""
    return _badge(
        "run it in", "a browser", 76, 80, "the notebook, which needs no computer of yours"
    )


def badge_container() -> Drawing:
    """A link to the dev container."""
    return _badge("open it in", "a dev container", 82, 116, "a container that has all the tools")


def _badge(left: str, right: str, left_width: int, right_width: int, what: str) -> Drawing:
    d = Drawing(
        left_width + right_width,
        HEIGHT,
        f"Badge: {left} {right}",
        f"A badge that says '{left} {right}'. It leads to {what}.",
    )
    d.rect(0, 0, left_width, HEIGHT, PALE_GREY)
    d.rect(left_width, 0, right_width, HEIGHT, PALE_BLUE)
    d.text(left_width / 2, 16, left, 12, INK, "middle")
    d.text(left_width + right_width / 2, 16, right, 12, BLUE, "middle", "bold")
    return d
