#!/usr/bin/env python3
"""Tells locationd which beacons are received (docs/beacons.md).

    locationd --beacon-feed /run/locationd/beacons.sock
    beacon_scanner.py /run/locationd/beacons.sock

The radio is played by one beacon that comes and goes; put yours into `receptions`.
"""
import itertools
import json
import socket
import sys
import time


def receptions():
    """The receptions of each second: the packets of an iBeacon, from the bytes after the company's 0x004C."""
    packet = bytes.fromhex("0215" "E2C56DB5DFFB48D2B060D0F5A71096E0" "0001" "0002" "C5")
    for second in itertools.count():
        yield [(packet, -65)] if second % 120 < 60 else []


def advertisement(packet, rssi):
    """The fields of an iBeacon's packet: two bytes of type and length, the UUID, two numbers, the power at one metre."""
    digits = packet[2:18].hex()
    return {
        "uuid": "-".join([digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]]),
        "major": int.from_bytes(packet[18:20], "big"),
        "minor": int.from_bytes(packet[20:22], "big"),
        "measuredPower": int.from_bytes(packet[22:23], "big", signed=True),
        "rssi": rssi,
        "time": time.time(),
    }


def main(path):
    while True:
        try:
            # The socket is open while somebody needs beacons: a connection switches the scanner on.
            with socket.socket(socket.AF_UNIX) as link:
                link.connect(path)
                for received in receptions():
                    # A scanner that is silent is taken for one that hangs.
                    lines = [advertisement(*it) for it in received] or [{"listening": True}]
                    link.sendall(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
                    time.sleep(1)
        except OSError:
            time.sleep(1)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
