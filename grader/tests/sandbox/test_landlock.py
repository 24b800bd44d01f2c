"""The Landlock rights requested on each kernel version."""

import pytest

from grader.sandbox import landlock


@pytest.mark.parametrize("version", range(1, 9))
def test_ruleset_uses_only_rights_of_the_kernels_version(version: int) -> None:
    files, network, scopes = landlock.handled(version)
    assert bool(files & landlock.REFER) == (version >= 2)
    assert bool(files & landlock.TRUNCATE) == (version >= 3)
    assert bool(network) == (version >= 4)
    assert bool(files & landlock.IOCTL_DEV) == (version >= 5)
    assert bool(scopes) == (version >= 6)
    assert files & landlock.READ_FILE and files & landlock.MAKE_SYM


def test_an_old_kernel_leaves_more_open() -> None:
    assert len(landlock.unhandled(1)) == 2
    assert not landlock.unhandled(6)
