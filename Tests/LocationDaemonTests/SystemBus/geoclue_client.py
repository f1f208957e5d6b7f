#!/usr/bin/env python3
"""A program that asks GeoClue, on the bus of $DBUS_SYSTEM_BUS_ADDRESS, and prints what it receives.

usage: geoclue_client.py DESKTOP_ID LEVEL [SECONDS]

Starts a client, and goes on until it is ended. With SIGUSR1 it starts once more, with SIGUSR2 it stops.
"""
import os
import signal
import sys

import dbus
import dbus.mainloop.glib
from gi.repository import GLib

NAME = "org.freedesktop.GeoClue2"


def say(words):
    print(words, flush=True)


class Program:
    def __init__(self, desktop_id, level, seconds):
        self.bus = dbus.bus.BusConnection(os.environ["DBUS_SYSTEM_BUS_ADDRESS"])
        manager = self.bus.get_object(NAME, "/org/freedesktop/GeoClue2/Manager", introspect=False)
        path = manager.CreateClient(dbus_interface=NAME + ".Manager")
        say(f"client {path}")
        self.client = self.bus.get_object(NAME, path, introspect=False)
        self.bus.add_signal_receiver(self.updated, "LocationUpdated", NAME + ".Client", NAME, path)
        self.bus.add_signal_receiver(self.changed, "PropertiesChanged", dbus.PROPERTIES_IFACE, NAME, path)
        self.set("DesktopId", dbus.String(desktop_id, variant_level=1))
        self.set("RequestedAccuracyLevel", dbus.UInt32(level, variant_level=1))
        self.set("TimeThreshold", dbus.UInt32(seconds, variant_level=1))

    def set(self, name, value):
        self.client.Set(NAME + ".Client", name, value, dbus_interface=dbus.PROPERTIES_IFACE)

    def start(self, *_):
        self.client.Start(
            dbus_interface=NAME + ".Client",
            reply_handler=lambda: say("started"),
            error_handler=lambda error: say(f"refused {error.get_dbus_name()}"),
            timeout=60,
        )
        return True

    def stop(self):
        self.client.Stop(dbus_interface=NAME + ".Client")
        say("stopped")
        return True

    def changed(self, _, values, __):
        if "Active" in values:
            say("active" if values["Active"] else "inactive")

    def updated(self, old, new):
        location = self.bus.get_object(NAME, new, introspect=False)
        values = location.GetAll(NAME + ".Location", dbus_interface=dbus.PROPERTIES_IFACE)
        say(f"position {values['Latitude']:.4f} {values['Longitude']:.4f} {values['Accuracy']:.1f} {new}")


def main(desktop_id, level, seconds="0"):
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    program = Program(desktop_id, int(level), int(seconds))
    # A runner of tests may start programs with all signals blocked.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGUSR1, signal.SIGUSR2})
    GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGUSR1, program.start)
    GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGUSR2, program.stop)
    program.start()
    GLib.MainLoop().run()


if __name__ == "__main__":
    main(*sys.argv[1:])
