#!/usr/bin/env python3
"""Kills the parent of a program that drives a browser: ends.py chromium|firefox. Prints what became of the browser."""
import os, pathlib, select, shutil, subprocess, sys

from browser import BROWSERS, confinement

# A parent process, its program with a browser, and the folder in the arguments of the browser's processes.
PROGRAM = "import browser, signal, sys; it = browser.BROWSERS[sys.argv[1]](); print(it.folder, flush=True); signal.pause()"
PARENT = "import subprocess, sys; subprocess.run([sys.executable, '-B', '-c', *sys.argv[1:]])"


def processes(folder):
    """Descriptors of the processes that name a folder."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if folder.encode() in entry.joinpath("cmdline").read_bytes():
                found.append(os.pidfd_open(int(entry.name)))
        except OSError:
            pass
    return found


def main():
    if not confinement():
        return print("goes on: no PID namespaces")
    command = [sys.executable, "-B", "-c", PARENT, PROGRAM, sys.argv[1]]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=pathlib.Path(__file__).parent, text=True) as parent:
        folder = parent.stdout.readline().strip()
        running = processes(folder)
        parent.kill()
    ended = [select.select([process], [], [], 20)[0] != [] for process in running]
    shutil.rmtree(folder, ignore_errors=True)
    print("ended" if ended and all(ended) else f"goes on: {ended.count(False)} of {len(ended)}")


main()
