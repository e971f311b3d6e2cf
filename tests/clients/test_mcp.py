"""The official client of the Model Context Protocol on a drawn dump: test_mcp.py NODE SCRIPT LOUPE."""
import pathlib
import subprocess
import sys
import tempfile

from drawn_dump import ring

node, script, loupe = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    heap = pathlib.Path(folder, "ring.hprof")
    heap.write_bytes(ring().bytes())
    subprocess.run([node, script, loupe, str(heap)], check=True)
