#!/usr/bin/env python3
"""Prints a file of all options of a program, each commented out under its own help (what `--config` of it reads).

usage: dev/option-file.py PROGRAM
"""

import json
import re
import subprocess
import sys
import textwrap


def main(program):
    dump = subprocess.run([program, "--experimental-dump-help"], stdout=subprocess.PIPE, check=True, text=True).stdout
    command = json.loads(dump)["command"]
    name = command["commandName"]
    print(f"# Options of {name}, by their names without hyphens in front; see {name}(1).")
    print("# What the command line or the environment says is above this file.")
    for option in command["arguments"]:
        words = option.get("preferredName", {}).get("name")
        if option["kind"] == "positional" or not option["shouldDisplay"] or words in ("config", "help", "version"):
            continue
        value = option.get("defaultValue") or ("true" if option["kind"] == "flag" else option.get("valueName", ""))
        is_bare = option["kind"] == "flag" or re.fullmatch(r"-?\d+(\.\d+)?", value)
        text = value if is_bare else json.dumps(value, ensure_ascii=False)
        print()
        print(textwrap.fill(option.get("abstract", ""), 100, initial_indent="# ", subsequent_indent="# "))
        print(f"#{words} = [{text}]" if option["isRepeating"] else f"#{words} = {text}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
