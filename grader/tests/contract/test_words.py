"""Numbers get the article with which they are spoken."""

import pytest

from grader.contract import words


@pytest.mark.parametrize(
    ("numbers", "article"),
    [
        ((8, 11, 18, 80, 85, 800, 8000, 11000, 18432), "an"),
        ((1, 2, 7, 9, 10, 12, 17, 19, 28, 100, 110, 111, 118, 180, 1100, 1800, 12000), "a"),
    ],
)
def test_article_fits_the_number(numbers: tuple[int, ...], article: str) -> None:
    assert {words.article(n) for n in numbers} == {article}
