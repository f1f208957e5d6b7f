#!/usr/bin/env python3
"""Writes who owns what is in the programs and beside them: Debian's copyright, all licences, and a CycloneDX bill of materials.

usage: dev/bill-of-materials.py VERSION CHECKOUTS DIRECTORY
"""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The beginning of a licence's text, or words in it, and its name of SPDX.
LICENCES = [("Apache License", "Apache-2.0"), ("Permission is hereby granted, free of charge", "MIT")]


def licence(text, name):
    for words, identifier in LICENCES:
        if words in text:
            return identifier
    sys.exit(f"bill-of-materials: the licence of {name} is none that is known here; add it to LICENCES")


def main(version, checkouts, directory):
    checkouts, directory = Path(checkouts), Path(directory)
    pins = json.loads((ROOT / "Package.resolved").read_text())["pins"]
    components, notices = [], []
    for pin in sorted(pins, key=lambda pin: pin["identity"]):
        name = Path(pin["location"]).name.removesuffix(".git")
        place = checkouts / name
        if not place.is_dir():
            continue  # of a trait that the programs are built without
        # Sources of others that a package holds have theirs beside them.
        files = [*place.glob("*"), *place.glob("Sources/**/*")]
        files = sorted(file for file in files if file.is_file() and file.name.upper().startswith(("LICEN", "NOTICE", "COPYING")))
        texts = {str(file.relative_to(place)): file.read_text(errors="replace") for file in files}
        terms = next((text for file, text in texts.items() if file.upper().startswith("LICEN")), "")
        components.append(
            {
                "type": "library",
                "name": name,
                "version": pin["state"].get("version", pin["state"]["revision"]),
                "licenses": [{"license": {"id": licence(terms, name)}}],
                "purl": f"pkg:swift/{pin['location'].removeprefix('https://').removesuffix('.git')}"
                f"@{pin['state'].get('version', pin['state']['revision'])}",
            }
        )
        notices += [f"{'=' * 78}\n{name} {components[-1]['version']}: {file}\n{'=' * 78}\n\n{text}" for file, text in texts.items()]
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "metadata": {"component": {"type": "application", "name": "whereabouts", "version": version}},
        "components": components,
    }
    (directory / "sbom.cdx.json").write_text(json.dumps(bill, indent=1) + "\n")
    (directory / "NOTICES").write_text("\n".join(notices))
    linked = "\n".join(f"  {part['name']} {part['version']}: {part['licenses'][0]['license']['id']}" for part in components)
    (directory / "copyright").write_text(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n"
        "Upstream-Name: whereabouts\n"
        "Comment:\n The programs hold these libraries, whose licences are in NOTICES.gz:\n"
        f"{linked}\n"
        "  Swift's runtime and standard library: Apache-2.0 with Runtime Library Exception\n\n"
        "Files: *\nCopyright: 2026 the contributors of Whereabouts\nLicense: Apache-2.0\n\n"
        "License: Apache-2.0\n On Debian systems the text is in /usr/share/common-licenses/Apache-2.0.\n"
    )


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
