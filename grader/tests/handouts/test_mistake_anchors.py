"""Every known mistake that a lab can name has a section on the page of mistakes, to which the
report and the lab's page link."""

from __future__ import annotations

import pytest

from grader import paths
from grader.model import spec
from grader.tests.handouts import mistake_anchors


def test_the_known_mistakes_are_those_that_the_grader_names() -> None:
    assert {"mask-flipped", "apron-missing", "last-block-missing"} <= mistake_anchors.known()
    assert not {"returned-error", "out-of-bounds", "smallest-case"} & mistake_anchors.of_lab("lab4")
    assert {"mask-flipped", "apron-missing", "window-off"} <= mistake_anchors.of_lab("lab4")
    assert "window-off" not in mistake_anchors.of_lab("lab8")


@pytest.mark.parametrize(
    ("markdown", "missing"),
    [
        ('<a id="mistake-one-pass"></a>', []),
        ('| <a name="mistake-one-pass"></a> `one-pass` |', []),
        ("### x <span id='mistake-one-pass'></span>", []),
        ("`mistake-one-pass` [x](#mistake-one-pass)", ["one-pass"]),
        ('<a id="mistake-one-pass-more"></a>', ["one-pass"]),
        ('<a id="one-pass"></a>', ["one-pass"]),
        ("", ["one-pass"]),
    ],
)
def test_what_is_not_explained_is_found(markdown: str, missing: list[str]) -> None:
    assert mistake_anchors.unexplained(markdown, {"one-pass"}) == missing


@pytest.mark.parametrize("lab", spec.available())
def test_the_handouts_explain_each_known_mistake(lab: str) -> None:
    handouts, names = paths.ROOT / "handouts", mistake_anchors.of_lab(lab)
    explained = (handouts / "mistakes.md").read_text(encoding="utf-8")
    assert mistake_anchors.unexplained(explained, names) == []
    assert mistake_anchors.unlinked((handouts / f"{lab}.md").read_text("utf-8"), names) == []


def test_a_mistake_without_a_link_is_found() -> None:
    linked = "[one-pass](mistakes.md#mistake-one-pass), mistakes.md#mistake-shifted"
    assert mistake_anchors.unlinked(linked, {"one-pass", "shifted"}) == ["shifted"]
