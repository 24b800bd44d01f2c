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

    def rect(self, x: float, y: float, w: float, h: float, name: str, title: str = "") -> None:
        tip = Markup("<title>{}</title>").format(title) if title else ""
        self.parts.append(
            Markup(
                '<rect x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}" class="{}">{}</rect>'
            ).format(x, y, max(w, 0), max(h, 0), name, tip)
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
        self.parts.append(
            Markup('<text x="{:.2f}" y="{:.2f}" class="{}" text-anchor="{}"{}>{}</text>').format(
                x, y, name, anchor, rotation if angle else "", text
            )
        )

    def line(self, x1: float, y1: float, x2: float, y2: float, name: str) -> None:
        self.path([(x1, y1), (x2, y2)], name)

    def path(self, points: Sequence[tuple[float, float]], name: str, close: bool = False) -> None:
        steps = " L".join(f"{x:.2f} {y:.2f}" for x, y in points)
        self.parts.append(
            Markup('<path d="M{}{}" class="{}"/>').format(steps, " Z" if close else "", name)
        )

    def circle(self, x: float, y: float, r: float, name: str, title: str = "") -> None:
        tip = Markup("<title>{}</title>").format(title) if title else ""
        self.parts.append(
            Markup('<circle cx="{:.2f}" cy="{:.2f}" r="{:.2f}" class="{}">{}</circle>').format(
                x, y, r, name, tip
            )
        )

    def image(self, width: float, height: float, data: str) -> None:
        """A picture that fills the drawing. `data`: its data: URL."""
        self.parts.append(
            Markup(
                '<image width="{:g}" height="{:g}" href="{}" preserveAspectRatio="none"/>'
            ).format(width, height, data)
        )

    def done(self) -> Markup:
        return Markup("").join([self.head, *self.parts, Markup("</svg>")])
