#!/usr/bin/env python3
"""Prints the software bill of materials of a built program or library, SPDX 2.3 as JSON.

usage: sbom.py BINARY VERSION ROOT

The libraries are the ones loaded by the dynamic linker for BINARY, with the Debian packages that own them. If the viewer is inside
BINARY, the npm packages of web/package-lock.json that are not for development are listed, too. Times are SOURCE_DATE_EPOCH.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path

BINARY, VERSION, ROOT = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
NAME = BINARY.name.partition(".so")[0]


def output(*command):
    return subprocess.run([*map(str, command)], capture_output=True, text=True, check=True).stdout


def debian_packages():
    """Yields (name, version) of the packages that own the loaded libraries."""
    paths = set(re.findall(r"=> (/\S+)", output("ldd", BINARY)))
    owners = set()
    for path in paths:
        for spelling in (path, path.removeprefix("/usr"), os.path.realpath(path)):
            found = subprocess.run(["dpkg", "-S", spelling], capture_output=True, text=True)
            if found.returncode == 0:
                owners.add(found.stdout.split(": ")[0])
                break
        else:
            sys.exit(f"sbom.py: no package owns {path}")
    for owner in sorted(owners):
        name, version = output("dpkg-query", "-W", "-f", "${Package} ${Version}", owner).split()
        yield name, version


def npm_packages():
    """Yields (name, version, licence) of the packages that the page may contain."""
    lock = json.loads((ROOT / "web" / "package-lock.json").read_text())
    for path, entry in sorted(lock["packages"].items()):
        if path and not entry.get("dev") and not entry.get("optional"):
            yield path.rpartition("node_modules/")[2], entry["version"], entry.get("license", "NOASSERTION")


def package(name, version, licence, purl):
    identifier = "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]+", "-", purl.removeprefix("pkg:")).strip("-")
    return {"SPDXID": identifier, "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "licenseConcluded": "NOASSERTION", "licenseDeclared": licence, "copyrightText": "NOASSERTION",
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}]}


def main():
    data = BINARY.read_bytes()
    binary = package(NAME, VERSION, "MIT", f"pkg:generic/{NAME}@{VERSION}")
    binary["checksums"] = [{"algorithm": "SHA256", "checksumValue": hashlib.sha256(data).hexdigest()}]
    parts = [(package(name, v, "NOASSERTION", f"pkg:deb/debian/{name}@{v}"), "DYNAMIC_LINK") for name, v in debian_packages()]
    if b"\0view.wasm\0" in data:
        parts += [(package(name, v, licence, f"pkg:npm/{name.replace('@', '%40')}@{v}"), "CONTAINS") for name, v, licence in npm_packages()]
    packages = list({part["SPDXID"]: part for part in [binary, *(part for part, _ in parts)]}.values())
    made = datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), timezone.utc)
    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"{NAME}-{VERSION}",
        "documentNamespace": f"https://example.org/spdx/{NAME}-{VERSION}-{binary['checksums'][0]['checksumValue'][:16]}",
        "creationInfo": {"created": made.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: packaging/sbom.py"]},
        "packages": packages,
        "relationships": [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": binary["SPDXID"]}]
        + sorted(({"spdxElementId": binary["SPDXID"], "relationshipType": how, "relatedSpdxElement": part["SPDXID"]} for part, how in parts),
                 key=lambda relation: relation["relatedSpdxElement"])}
    json.dump(document, sys.stdout, indent=1)
    print()


main()
