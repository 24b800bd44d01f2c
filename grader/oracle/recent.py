"""The results of the last calls of a function, of at most so many bytes together."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass
class Recent(Generic[T]):
    """A function that remembers, as functools.lru_cache does, but counts bytes: one image may have
    as many as all others together. A result that is larger than `most` is not kept."""

    make: Callable[..., T]
    size: Callable[[T], int]
    most: int
    held: int = 0
    kept: OrderedDict[tuple[Hashable, ...], T] = field(default_factory=OrderedDict)

    def __call__(self, *asked: Hashable) -> T:
        if asked in self.kept:
            self.kept.move_to_end(asked)
            return self.kept[asked]
        made = self.make(*asked)
        self.kept[asked] = made
        self.held += self.size(made)
        while self.held > self.most:
            _, oldest = self.kept.popitem(last=False)
            self.held -= self.size(oldest)
        return made
