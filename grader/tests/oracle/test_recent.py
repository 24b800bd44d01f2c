"""A process caches correct results up to a limit in bytes."""

from grader.oracle.recent import Recent


def test_the_oldest_go_where_the_bytes_are_too_many() -> None:
    made: list[int] = []

    def zeros(count: int) -> bytes:
        made.append(count)
        return bytes(count)

    recent = Recent(zeros, len, most=10)
    for count in (4, 5, 4, 3):  # 5 was asked for the longest ago
        assert recent(count) == bytes(count)
    assert made == [4, 5, 3] and [*recent.kept] == [(4,), (3,)] and recent.held == 7
    assert recent(11) == bytes(11) and not recent.kept and recent.held == 0
    assert recent(4) == bytes(4) and made == [4, 5, 3, 11, 4]
