#!/usr/bin/env python3
"""Tells locationd the positions that GeoClue finds, by Wi-Fi for example (docs/sources.md).

    locationd --program /run/user/1000/locationd/geoclue.sock
    geoclue.py /run/user/1000/locationd/geoclue.sock

It asks as the app that it is, "whereabouts-geoclue": GeoClue's agent may ask a person, or its configuration allows it
(/etc/geoclue/geoclue.conf: [whereabouts-geoclue] allowed=true, system=false, users=). Needs python3-dbus.
"""
import functools
import sys

import dbus

import source

SERVICE = "org.freedesktop.GeoClue2"
CLIENT = SERVICE + ".Client"
PROPERTIES = "org.freedesktop.DBus.Properties"
EXACT = 8


def said(call):
    """Has an error of the bus be told in GeoClue's words."""

    @functools.wraps(call)
    def wrapped(*arguments):
        try:
            return call(*arguments)
        except dbus.DBusException as error:
            raise source.Trouble(f"GeoClue: {error.get_dbus_message() or error.get_dbus_name()}") from error

    return wrapped


class Client:
    """A client of GeoClue's that searches until it is closed."""

    @said
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

    @said
    def position(self):
        """The newest position as a fix of locationd's; None when it was told already, or there is none yet."""
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


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    source.run(sys.argv[1], "GeoClue", Client)
