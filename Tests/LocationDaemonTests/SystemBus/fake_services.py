#!/usr/bin/env python3
"""GeoClue and ModemManager as the sources' examples see them, on the bus of $DBUS_SYSTEM_BUS_ADDRESS.

Written from their published interfaces. Prints a line for each call that switches something on or off. With "deny",
GeoClue lets nobody start; with "no-modem", there is none.
"""
import sys
import time

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

PROPERTIES = "org.freedesktop.DBus.Properties"
GEOCLUE = "org.freedesktop.GeoClue2"
MODEM = "org.freedesktop.ModemManager1"


def say(words):
    print(words, flush=True)


class Location(dbus.service.Object):
    @dbus.service.method(PROPERTIES, in_signature="s", out_signature="a{sv}")
    def GetAll(self, _):
        now = time.time()
        return {
            "Latitude": 53.5451,
            "Longitude": 9.9672,
            "Accuracy": 25.0,
            "Altitude": -sys.float_info.max,
            "Speed": 1.25,
            "Heading": -1.0,
            "Timestamp": dbus.Struct((dbus.UInt64(int(now)), dbus.UInt64(int(now % 1 * 1e6))), signature="tt"),
        }


class Client(dbus.service.Object):
    def __init__(self, bus, number):
        super().__init__(bus, f"/org/freedesktop/GeoClue2/Client/{number}")
        self.number, self.values, self.location = number, {}, None

    @dbus.service.method(GEOCLUE + ".Client")
    def Start(self):
        if "deny" in sys.argv:
            raise dbus.DBusException("Access denied", name="org.freedesktop.DBus.Error.AccessDenied")
        self.location = Location(self.connection, f"{self._object_path}/Location/0")
        say(f"GeoClue starts {self.values['DesktopId']} at {int(self.values['RequestedAccuracyLevel'])}")

    @dbus.service.method(PROPERTIES, in_signature="ssv")
    def Set(self, _, name, value):
        self.values[str(name)] = value

    @dbus.service.method(PROPERTIES, in_signature="ss", out_signature="v")
    def Get(self, _, name):
        assert name == "Location"
        return dbus.ObjectPath(self.location._object_path if self.location else "/")


class Manager(dbus.service.Object):
    count = 0

    @dbus.service.method(GEOCLUE + ".Manager", out_signature="o", sender_keyword="sender")
    def GetClient(self, sender):
        self.count += 1
        client = Client(self.connection, self.count)

        def gone(owner):
            if not owner:
                say("GeoClue stops")

        self.connection.watch_name_owner(sender, gone)
        return client._object_path


class Modem(dbus.service.Object):
    enabled = 1

    @dbus.service.method(MODEM + ".Modem.Location", in_signature="ub")
    def Setup(self, sources, _):
        say(f"the modem has {int(sources)} on")
        self.enabled = sources

    @dbus.service.method(MODEM + ".Modem.Location", in_signature="u")
    def SetGpsRefreshRate(self, _):
        raise dbus.DBusException("not known", name="org.freedesktop.DBus.Error.UnknownMethod")

    @dbus.service.method(MODEM + ".Modem.Location", out_signature="a{uv}")
    def GetLocation(self):
        now = time.gmtime()
        body = f"GPRMC,{time.strftime('%H%M%S', now)}.00,A,5332.7060,N,00958.0320,E,0.00,,{time.strftime('%d%m%y', now)},,,A"
        check = 0
        for byte in body.encode():
            check ^= byte
        return {dbus.UInt32(4): f"${body}*{check:02X}\r\n\r\n"}


class Modems(dbus.service.Object):
    @dbus.service.method("org.freedesktop.DBus.ObjectManager", out_signature="a{oa{sa{sv}}}")
    def GetManagedObjects(self):
        if "no-modem" in sys.argv:
            return dbus.Dictionary(signature="oa{sa{sv}}")
        values = {"Capabilities": dbus.UInt32(7), "Enabled": dbus.UInt32(1)}
        return {dbus.ObjectPath("/org/freedesktop/ModemManager1/Modem/0"): {MODEM + ".Modem.Location": values}}


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
system = dbus.SystemBus()
names = [dbus.service.BusName(name, system) for name in (GEOCLUE, MODEM)]
objects = [
    Manager(system, "/org/freedesktop/GeoClue2/Manager"),
    Modems(system, "/org/freedesktop/ModemManager1"),
    Modem(system, "/org/freedesktop/ModemManager1/Modem/0"),
]
say("ready")
GLib.MainLoop().run()
