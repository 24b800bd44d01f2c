"""How often the accesses of each line ran, from the counters of a traced program."""

import bisect
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from grader.execute import addr2line
from grader.execute.addr2line import Location
from grader.execute.profile import Launch

WARP = 32
Key = tuple[Location, str, str]  # with the space, and load, store or atomic


@dataclass
class Ran:
    """A launch. requests: of its warps. widths: the fewest bytes that a lane accesses."""

    launch: Launch
    requests: dict[Key, int] = field(default_factory=lambda: defaultdict(int))
    widths: dict[Key, int] = field(default_factory=dict)

    @property
    def threads(self) -> int:
        x, y, z = self.launch.block
        return x * y * z

    @property
    def warps(self) -> int:
        return self.launch.blocks * -(-self.threads // WARP)


def of_launches(binary: Path, launches: Iterable[Launch], kernels: set[str]) -> dict[str, Ran]:
    """The launch of each kernel with most warps, by the name that the linker knows. A launch of
    which no access is in the kernel's own function is left out."""
    counted = [launch for launch in launches if launch.complete and launch.sites]
    sites = {site.pc - 1 for launch in counted for site in launch.sites}
    places = addr2line.locations(binary, sites)
    symbols = addr2line.functions(binary)
    found: dict[str, Ran] = {}
    for launch in counted:
        names = {_name(symbols, site.pc - 1) for site in launch.sites} & kernels
        one = _ran(launch, places)
        for name in names if len(names) == 1 else ():
            if name not in found or found[name].warps < one.warps:
                found[name] = one
    return found


def _ran(launch: Launch, places: dict[int, Location]) -> Ran:
    one = Ran(launch)
    for site in launch.sites:
        way = "atomic" if site.atomic else "store" if site.store else "load"
        key = places[site.pc - 1], site.space, way
        one.requests[key] += site.requests
        one.widths[key] = min(site.width, one.widths.get(key, site.width))
    return one


def _name(symbols: list[tuple[int, str]], address: int) -> str:
    """The function that an address is in; a clone that gcc made has the name of its original."""
    at = bisect.bisect_right(symbols, (address, "\x7f"))
    return symbols[at - 1][1].split(".")[0] if at else ""
