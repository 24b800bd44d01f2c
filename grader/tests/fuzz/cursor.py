"""Takes choices and texts out of a fuzzer's bytes."""


class Cursor:
    """Bytes that are consumed from the front; past the end come zeros and empty texts."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def take(self, count: int) -> bytes:
        part = self.data[self.at : self.at + count]
        self.at += len(part)
        return part

    def byte(self) -> int:
        return (self.take(1) or b"\0")[0]

    def block(self) -> bytes:
        """A text with its length before it: one byte, so 255 at most."""
        return self.take(self.byte())

    def rest(self) -> bytes:
        return self.take(len(self.data))

    def has_more(self) -> bool:
        return self.at < len(self.data)
