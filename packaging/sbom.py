"""The bill of materials of a release, as SPDX 2.3 in JSON: its files, its sources, what it is linked
to.

usage: sbom.py SOURCE VERSION SECONDS FOLDER
"""
import hashlib
import json
import pathlib
import sys
import time
from typing import Any, Dict, List

# Linked to where they are installed; nothing of anybody else is in the sources.
LINKED = (("zlib", "Zlib"), ("sqlite", "blessing"))


def digest(path: pathlib.Path, kind: str) -> str:
    return hashlib.new(kind, path.read_bytes()).hexdigest()


def checksums(path: pathlib.Path) -> List[Dict[str, str]]:
    return [{"algorithm": kind.upper(), "checksumValue": digest(path, kind)} for kind in ("sha1", "sha256")]


def bill(source: pathlib.Path, version: str, seconds: int, folder: pathlib.Path) -> Dict[str, Any]:
    files: List[Dict[str, Any]] = []
    for path in sorted(path for path in source.rglob("*") if path.is_file() and not path.is_symlink()):
        files.append({"SPDXID": f"SPDXRef-File-{len(files)}", "fileName": f"./{path.relative_to(source)}",
                      "checksums": checksums(path), "licenseConcluded": "MIT",
                      "copyrightText": "NOASSERTION"})
    code = hashlib.sha1("".join(sorted(file["checksums"][0]["checksumValue"] for file in files))
                        .encode()).hexdigest()
    packages: List[Dict[str, Any]] = [{
        "SPDXID": "SPDXRef-Loupe", "name": "loupe", "versionInfo": version, "filesAnalyzed": True,
        "packageVerificationCode": {"packageVerificationCodeValue": code},
        "downloadLocation": "NOASSERTION", "licenseConcluded": "MIT", "licenseDeclared": "MIT",
        "licenseInfoFromFiles": ["MIT"], "copyrightText": "Copyright (c) The Loupe authors"}]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-Loupe")]
    relations += [("SPDXRef-Loupe", "CONTAINS", file["SPDXID"]) for file in files]
    for path in sorted(path for path in folder.iterdir() if path.name.endswith((".deb", ".gz"))):
        name = f"SPDXRef-Artifact-{len(packages)}"
        packages.append({"SPDXID": name, "name": path.name, "versionInfo": version,
                         "packageFileName": path.name, "filesAnalyzed": False,
                         "checksums": checksums(path), "downloadLocation": "NOASSERTION",
                         "licenseConcluded": "MIT", "licenseDeclared": "MIT",
                         "copyrightText": "Copyright (c) The Loupe authors"})
        relations.append((name, "GENERATED_FROM", "SPDXRef-Loupe"))
    for linked, license_name in LINKED:
        packages.append({"SPDXID": f"SPDXRef-Linked-{linked}", "name": linked, "filesAnalyzed": False,
                         "downloadLocation": "NOASSERTION", "licenseConcluded": license_name,
                         "licenseDeclared": license_name, "copyrightText": "NOASSERTION"})
        relations.append(("SPDXRef-Loupe", "DYNAMIC_LINK", f"SPDXRef-Linked-{linked}"))
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
            "name": f"loupe-{version}", "documentNamespace": f"https://spdx.org/spdxdocs/loupe-{version}-{code}",
            "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds)),
                             "creators": ["Tool: loupe-sbom", "Organization: The Loupe authors"]},
            "packages": packages, "files": files,
            "relationships": [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b}
                              for a, kind, b in relations]}


def main() -> None:
    source, version, seconds, folder = sys.argv[1:]
    made = bill(pathlib.Path(source), version, int(seconds), pathlib.Path(folder))
    json.dump(made, sys.stdout, indent=1, sort_keys=True)
    print()


main()
