#!/usr/bin/env python3
"""Tells locationd the positions of a vehicle's bus (docs/sources.md).

    locationd --program /run/locationd/vehicle.sock
    vehicle_bus.py /run/locationd/vehicle.sock

The bus is played by a circle around a place; put yours into `positions`.
"""
import json
import math
import socket
import sys
import time


def positions():
    """A position each second: where a car is that goes around a block at 8 m/s."""
    radius, speed = 100.0, 8.0
    while True:
        angle = time.time() * speed / radius
        yield {
            "latitude": 48.1 + radius * math.cos(angle) / 111_320,
            "longitude": 11.5 + radius * math.sin(angle) / 111_320 / math.cos(math.radians(48.1)),
            "accuracy": 3.0,
            "course": math.degrees(angle + math.pi / 2) % 360,
            "speed": speed,
            "time": time.time(),
        }


def main(path):
    while True:
        try:
            # The socket is open while somebody needs positions: a connection switches the source on.
            with socket.socket(socket.AF_UNIX) as link:
                link.connect(path)
                link.sendall(json.dumps({"name": "vehicle bus"}).encode() + b"\n")
                for fix in positions():
                    link.sendall(json.dumps({"fix": fix}).encode() + b"\n")
                    time.sleep(1)
        except OSError:
            time.sleep(1)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
