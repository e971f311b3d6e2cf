"""Libraries whose functions are all looked up when they are loaded, and none at its first call.

usage: bound_at_load.py READELF LIBRARY...
"""
import re
import subprocess
import sys

readelf, *libraries = sys.argv[1:]
lazy = []
for library in libraries:
    told = subprocess.run([readelf, "-dW", library], check=True, capture_output=True, text=True).stdout
    if not re.search(r"\b(BIND_)?NOW\b", told):
        lazy.append(library)
for library in lazy:
    print(f"bound at the first call: {library}")
sys.exit(1 if lazy else 0)
