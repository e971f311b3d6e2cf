"""Of things by the dozen those to try now: all, or one in LOUPE_TEST_SHARE (./run test), whose others wait
for ./run test-long. The same words serve the programs of C (check.h)."""
import os
from typing import Iterable, List, TypeVar

Thing = TypeVar("Thing")


def share_of(things: Iterable[Thing]) -> List[Thing]:
    return list(things)[::int(os.environ.get("LOUPE_TEST_SHARE", "1"))]


def is_whole() -> bool:
    return int(os.environ.get("LOUPE_TEST_SHARE", "1")) == 1
