#!/usr/bin/env python3
"""A desktop's agent of GeoClue's, on the bus of $DBUS_SYSTEM_BUS_ADDRESS, that answers each question with the level it is given.

usage: geoclue_agent.py LEVEL
"""
import os
import sys

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

NAME = "org.freedesktop.GeoClue2"


class Agent(dbus.service.Object):
    def __init__(self, bus, level):
        super().__init__(bus, "/org/freedesktop/GeoClue2/Agent")
        self.level = level

    @dbus.service.method(NAME + ".Agent", in_signature="su", out_signature="bu")
    def AuthorizeApp(self, desktop_id, level):
        print(f"asked about {desktop_id} at {int(level)}", flush=True)
        return self.level > 0, dbus.UInt32(self.level)

    @dbus.service.method(dbus.PROPERTIES_IFACE, in_signature="ss", out_signature="v")
    def Get(self, _, __):
        return dbus.UInt32(8, variant_level=1)

    @dbus.service.method(dbus.PROPERTIES_IFACE, in_signature="s", out_signature="a{sv}")
    def GetAll(self, _):
        return {"MaxAccuracyLevel": dbus.UInt32(8)}


def main(level):
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    bus = dbus.bus.BusConnection(os.environ["DBUS_SYSTEM_BUS_ADDRESS"])
    agent = Agent(bus, int(level))
    manager = bus.get_object(NAME, "/org/freedesktop/GeoClue2/Manager", introspect=False)
    loop = GLib.MainLoop()

    def refused(error):
        print(error, file=sys.stderr, flush=True)
        os._exit(1)

    # GeoClue reads the agent's properties before it answers.
    manager.AddAgent(
        "test-agent",
        dbus_interface=NAME + ".Manager",
        reply_handler=lambda: print("ready", flush=True),
        error_handler=refused,
    )
    loop.run()
    del agent


if __name__ == "__main__":
    main(*sys.argv[1:])
