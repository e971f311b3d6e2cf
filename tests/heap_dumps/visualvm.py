"""VisualVM's own heap library, where it is installed (Debian's package visualvm): every instance of a
dump as it has it."""
import pathlib
import typing

import java

PLACES = ("/usr/share/visualvm/visualvm/modules/org-graalvm-visualvm-lib-jfluid-heap.jar",)
Instance = typing.Tuple[str, int, int]  # class, size, retained size


def jar() -> typing.Optional[str]:
    return next((path for path in PLACES if pathlib.Path(path).exists()), None)


class Library:
    """The programs of bench/heap_dumps, compiled against it."""

    def __init__(self, folder: pathlib.Path, bench: pathlib.Path) -> None:
        self.folder, self.jar = folder, jar() or ""
        java.compile_sources(folder / "classes", sorted(bench.glob("*.java")), self.jar)

    def instances(self, dump: pathlib.Path) -> typing.Tuple[typing.Dict[str, Instance],
                                                            typing.Dict[str, int]]:
        """By address; and how many references each is from the nearest root."""
        java.run_java(f"{self.folder / 'classes'}:{self.jar}", "VisualVm", str(dump),
                      str(self.folder / "objects"))
        instances, distances = {}, {}
        for line in (self.folder / "objects").read_text().splitlines():
            address, name, size, retained, distance = line.split()
            instances[address] = (name, int(size), int(retained))
            distances[address] = int(distance)
        return instances, distances
