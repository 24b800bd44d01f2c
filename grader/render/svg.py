"""Builds an SVG: the page's style sheet has its colours, and all text is escaped."""

from collections.abc import Sequence

from markupsafe import Markup


class Svg:
    """An SVG under construction, with lengths in px. `label`: what a screen reader reads out."""

    def __init__(self, width: float, height: float, label: str, name: str = "chart") -> None:
        self.head = Markup(
            '<svg class="{}" viewBox="0 0 {:g} {:g}" role="img" aria-label="{}">'
        ).format(name, width, height, label)
        self.parts: list[Markup] = []

    def _add(self, element: str, *values: object) -> None:
        self.parts.append(Markup(element).format(*values))

    def rect(self, x: float, y: float, w: float, h: float, name: str, title: str = "") -> None:
        self._add(
            '<rect x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}" class="{}">{}</rect>',
            *(x, y, max(w, 0), max(h, 0), name, _tip(title)),
        )

    def text(
        self,
        x: float,
        y: float,
        text: str,
        name: str = "",
        anchor: str = "start",
        angle: float = 0,
    ) -> None:
        """`angle`: degrees, counter-clockwise around (x, y)."""
        rotation = Markup(' transform="rotate({:.1f} {:.2f} {:.2f})"').format(-angle, x, y)
        self._add(
            '<text x="{:.2f}" y="{:.2f}" class="{}" text-anchor="{}"{}>{}</text>',
            *(x, y, name, anchor, rotation if angle else "", text),
        )

    def line(self, x1: float, y1: float, x2: float, y2: float, name: str) -> None:
        self.path([(x1, y1), (x2, y2)], name)

    def path(self, points: Sequence[tuple[float, float]], name: str, close: bool = False) -> None:
        steps = " L".join(f"{x:.2f} {y:.2f}" for x, y in points)
        self._add('<path d="M{}{}" class="{}"/>', steps, " Z" if close else "", name)

    def circle(self, x: float, y: float, r: float, name: str, title: str = "") -> None:
        self._add(
            '<circle cx="{:.2f}" cy="{:.2f}" r="{:.2f}" class="{}">{}</circle>',
            *(x, y, r, name, _tip(title)),
        )

    def image(self, width: float, height: float, data: str) -> None:
        """A picture that fills the drawing. `data`: its data: URL."""
        picture = '<image width="{:g}" height="{:g}" href="{}" preserveAspectRatio="none"/>'
        self._add(picture, width, height, data)

    def done(self) -> Markup:
        return Markup("").join([self.head, *self.parts, Markup("</svg>")])


def _tip(title: str) -> Markup | str:
    return Markup("<title>{}</title>").format(title) if title else ""
