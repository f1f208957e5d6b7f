#!/usr/bin/env python3
"""Calls GeoClue as its interfaces do not have it, on the bus of $DBUS_SYSTEM_BUS_ADDRESS, and prints what became of each call."""
import os

import dbus
import dbus.bus

NAME = "org.freedesktop.GeoClue2"
MANAGER = "/org/freedesktop/GeoClue2/Manager"


def main():
    bus = dbus.bus.BusConnection(os.environ["DBUS_SYSTEM_BUS_ADDRESS"])
    client = bus.call_blocking(NAME, MANAGER, NAME + ".Manager", "CreateClient", "", ())

    def call(words, path, interface, member, signature, arguments):
        try:
            bus.call_blocking(NAME, path, interface, member, signature, arguments)
            print(words, "fine")
        except dbus.DBusException as error:
            print(words, error.get_dbus_name())

    def set_level(words, value, *more):
        arguments = (NAME + ".Client", "RequestedAccuracyLevel", value) + more
        call(words, client, dbus.PROPERTIES_IFACE, "Set", "ssv" + "s" * len(more), arguments)

    call("CreateClient s", MANAGER, NAME + ".Manager", "CreateClient", "s", ("surplus",))
    call("DeleteClient os", MANAGER, NAME + ".Manager", "DeleteClient", "os", (client, "surplus"))
    call("DeleteClient s", MANAGER, NAME + ".Manager", "DeleteClient", "s", (client,))
    call("Get s", client, dbus.PROPERTIES_IFACE, "Get", "s", (NAME + ".Client",))
    set_level("Set ssvs", dbus.UInt32(8), "surplus")
    set_level("Set ssv(ay)", dbus.ByteArray(b"eight"))
    set_level("Set ssv(99)", dbus.UInt32(99))
    call("Dance -", MANAGER, NAME + ".Manager", "Dance", "", ())
    set_level("Set ssv(8)", dbus.UInt32(8))


if __name__ == "__main__":
    main()
