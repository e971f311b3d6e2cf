"""What lets clients of the Model Context Protocol find `loupe serve`: a bundle (.mcpb) of an installation's
command-line tool, and server.json for a registry, which names bundles of a release by their URLs and sums.

usage: mcp.py bundle PREFIX VERSION OUT
       mcp.py server HOMEPAGE VERSION BUNDLE... > server.json
"""
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import time
import zipfile
from typing import Any, Dict, List

SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
DESCRIPTION = "Why objects of a heap are still alive: leaks, paths, what grew, of dumps, cores, snapshots."


def tools(tool: pathlib.Path) -> List[Dict[str, str]]:
    """As the server itself lists them."""
    asked = "".join(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n"
                    for number, (method, params) in enumerate((
                        ("initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                                        "clientInfo": {"name": "packaging", "version": "0"}}),
                        ("tools/list", {}))))
    said = subprocess.run([tool, "serve"], input=asked, capture_output=True, text=True, check=True).stdout
    listed = json.loads(said.splitlines()[1])["result"]["tools"]
    return [{"name": each["name"], "description": each["description"]} for each in listed]


def bundle(prefix: pathlib.Path, version: str, out: pathlib.Path) -> pathlib.Path:
    system = os.uname()
    tool = prefix / "bin" / "loupe"
    manifest = {"manifest_version": "0.3", "name": "loupe", "display_name": "Loupe", "version": version,
                "description": DESCRIPTION, "author": {"name": "The Loupe authors"}, "license": "MIT",
                "server": {"type": "binary", "entry_point": "server/loupe",
                           "mcp_config": {"command": "${__dirname}/server/loupe", "args": ["serve"]}},
                "tools": tools(tool), "compatibility": {"platforms": [system.sysname.lower()]}}
    made = out / f"loupe-{version}-{system.sysname}-{system.machine}.mcpb"
    moment = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())), 315532800))
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data, mode in (("manifest.json", json.dumps(manifest, indent=1).encode(), 0o644),
                                 ("server/loupe", tool.read_bytes(), 0o755),
                                 ("LICENSE", (prefix / "share/doc/loupe/copyright").read_bytes(), 0o644)):
            entry = zipfile.ZipInfo(name, moment[:6])
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            packed.writestr(entry, data)
    return made


def server(homepage: str, version: str, bundles: List[pathlib.Path]) -> Dict[str, Any]:
    host, owner, name = homepage.removeprefix("https://").split("/", 2)
    return {"$schema": SCHEMA, "name": f"io.{host.split('.')[-2]}.{owner}/{name}", "title": "Loupe",
            "description": DESCRIPTION, "version": version,
            "repository": {"url": homepage, "source": host.split(".")[-2]},
            "packages": [{"registryType": "mcpb", "version": version, "transport": {"type": "stdio"},
                          "identifier": f"{homepage}/releases/download/v{version}/{path.name}",
                          "fileSha256": hashlib.sha256(path.read_bytes()).hexdigest()} for path in bundles]}


def main() -> None:
    what, where, version, *rest = sys.argv[1:]
    if what == "bundle":
        print(bundle(pathlib.Path(where), version, pathlib.Path(rest[0])))
    else:
        json.dump(server(where, version, sorted(map(pathlib.Path, rest))), sys.stdout, indent=1)
        print()


if __name__ == "__main__":
    main()
