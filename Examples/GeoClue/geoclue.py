#!/usr/bin/env python3
"""Tells locationd the positions that GeoClue finds, by Wi-Fi for example (docs/sources.md).

    locationd --program /run/user/1000/locationd/geoclue.sock
    geoclue.py /run/user/1000/locationd/geoclue.sock

It asks as the app that it is, "whereabouts-geoclue": GeoClue's agent may ask a person, or its configuration allows it
(/etc/geoclue/geoclue.conf: [whereabouts-geoclue] allowed=true, system=false, users=). Needs python3-dbus.
"""
import json
import select
import socket
import sys
import time

import dbus

SERVICE = "org.freedesktop.GeoClue2"
CLIENT = SERVICE + ".Client"
PROPERTIES = "org.freedesktop.DBus.Properties"
EXACT = 8


class Client:
    """A client of GeoClue's that searches until it is closed."""

    def __init__(self):
        # A connection of its own: GeoClue ends a client with the connection that made it, whatever happens here.
        self.bus = dbus.bus.BusConnection(dbus.bus.BusConnection.TYPE_SYSTEM)
        manager = dbus.Interface(self.bus.get_object(SERVICE, "/org/freedesktop/GeoClue2/Manager"), SERVICE + ".Manager")
        self.client = self.bus.get_object(SERVICE, manager.GetClient())
        properties = dbus.Interface(self.client, PROPERTIES)
        properties.Set(CLIENT, "DesktopId", "whereabouts-geoclue")
        properties.Set(CLIENT, "RequestedAccuracyLevel", dbus.UInt32(EXACT))
        self.told = None
        dbus.Interface(self.client, CLIENT).Start()

    def close(self):
        self.bus.close()

    def position(self):
        """The newest position as a line of locationd's; None when it was told already, or there is none yet."""
        path = dbus.Interface(self.client, PROPERTIES).Get(CLIENT, "Location")
        if path == "/" or path == self.told:
            return None
        location = dbus.Interface(self.bus.get_object(SERVICE, path), PROPERTIES).GetAll(SERVICE + ".Location")
        self.told = path
        fix = {
            "latitude": float(location["Latitude"]),
            "longitude": float(location["Longitude"]),
            "accuracy": float(location["Accuracy"]),
            # GeoClue puts several sources together, and smooths what it tells.
            "isEstimate": True,
        }
        # GeoClue's words for "not known": the least double, and -1.
        if location.get("Altitude", -sys.float_info.max) > -20_000:
            fix["altitude"] = float(location["Altitude"])
        for field, name in (("speed", "Speed"), ("course", "Heading")):
            if location.get(name, -1) >= 0:
                fix[field] = float(location[name])
        seconds, microseconds = location.get("Timestamp", (0, 0))
        if seconds:
            fix["time"] = int(seconds) + int(microseconds) / 1e6
        return fix


def tell(link, message):
    link.sendall(json.dumps(message).encode() + b"\n")


def serve(link):
    """Tells positions until locationd closes the connection, which is how it switches this off."""
    tell(link, {"name": "GeoClue"})
    client = Client()
    try:
        while True:
            fix = client.position()
            tell(link, {"fix": fix} if fix else {"state": "searching"})
            if select.select([link], [], [], 1)[0] and not link.recv(4096):
                return
    finally:
        client.close()


def main(path):
    said = None
    while True:
        pause = 1
        with socket.socket(socket.AF_UNIX) as link:
            try:
                link.connect(path)
                serve(link)
                said = None
            except OSError:
                pass
            except dbus.DBusException as error:
                words = f"GeoClue: {error.get_dbus_message() or error.get_dbus_name()}"
                if words != said:
                    print(words, file=sys.stderr, flush=True)
                said, pause = words, 10
        time.sleep(pause)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
