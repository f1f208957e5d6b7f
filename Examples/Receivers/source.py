"""The socket at which locationd takes a program's positions (docs/sources.md): while it is connected, positions are needed."""
import contextlib
import json
import select
import socket
import sys
import time


class Trouble(Exception):
    """A reason why there are no positions, in words for a person; they are said once, and it is tried again."""


def run(path, name, search):
    """Searches whenever locationd needs positions, forever.

    `search` begins to search: it returns an object with `position()`, which is called each second and returns a new fix, a
    state ("searching", "lost") or None for "searching", and `close()`. Both may raise Trouble.
    """
    said = None
    while True:
        pause = 1
        with socket.socket(socket.AF_UNIX) as link:
            try:
                link.connect(path)
                serve(link, name, search)
                said = None
            except OSError:
                # No client needs positions, or the last one stopped.
                pass
            except Trouble as error:
                if str(error) != said:
                    print(error, file=sys.stderr, flush=True)
                said, pause = str(error), 10
        time.sleep(pause)


def serve(link, name, search):
    tell(link, {"name": name})
    with contextlib.closing(search()) as searching:
        while True:
            found = searching.position()
            tell(link, {"fix": found} if isinstance(found, dict) else {"state": found or "searching"})
            if select.select([link], [], [], 1)[0] and not link.recv(4096):
                return


def tell(link, message):
    link.sendall(json.dumps(message).encode() + b"\n")
