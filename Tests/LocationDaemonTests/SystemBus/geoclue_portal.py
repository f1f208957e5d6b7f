#!/usr/bin/env python3
"""A program that asks the portal for the location, which asks GeoClue on the bus of $DBUS_SYSTEM_BUS_ADDRESS, and prints what it receives.

usage: geoclue_portal.py FOLDER

Starts a bus of a session, and on it the portal with a desktop that allows all; what they write is in FOLDER.
"""
import os
import pathlib
import signal
import subprocess
import sys

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

NAME = "org.freedesktop.portal.Desktop"
PATH = "/org/freedesktop/portal/desktop"
LOCATION = "org.freedesktop.portal.Location"
IMPLEMENTATION = "org.freedesktop.impl.portal"
BACKEND = f"""[portal]
DBusName={IMPLEMENTATION}.desktop.test
Interfaces={IMPLEMENTATION}.Access;{IMPLEMENTATION}.Lockdown
UseIn=test
"""


def say(words):
    print(words, flush=True)


class Desktop(dbus.service.Object):
    @dbus.service.method(
        IMPLEMENTATION + ".Access", in_signature="osssssa{sv}", out_signature="ua{sv}"
    )
    def AccessDialog(self, handle, app, parent, title, subtitle, body, options):
        say("asked by the desktop")
        return dbus.UInt32(0), dbus.Dictionary({}, signature="sv")

    @dbus.service.method(dbus.PROPERTIES_IFACE, in_signature="s", out_signature="a{sv}")
    def GetAll(self, _):
        return {"disable-location": False}


def start(*command):
    # With this program they end, too.
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def main(folder):
    backends = pathlib.Path(folder, "backends")
    backends.mkdir()
    (backends / "test.portal").write_text(BACKEND)
    for variable in ("XDG_RUNTIME_DIR", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        os.environ[variable] = folder
    os.environ["XDG_DESKTOP_PORTAL_DIR"] = str(backends)
    os.environ["XDG_CURRENT_DESKTOP"] = "test"
    daemon = start("dbus-daemon", "--session", "--nofork", "--print-address=1")
    os.environ["DBUS_SESSION_BUS_ADDRESS"] = daemon.stdout.readline().strip()
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    bus = dbus.bus.BusConnection(os.environ["DBUS_SESSION_BUS_ADDRESS"])
    name = dbus.service.BusName(IMPLEMENTATION + ".desktop.test", bus)
    desktop = Desktop(name, PATH)
    portal = start("/usr/libexec/xdg-desktop-portal")
    loop = GLib.MainLoop()
    # A runner of tests may start programs with all signals blocked.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGTERM, loop.quit)

    def updated(_, values):
        say(f"position {values['Latitude']:.4f} {values['Longitude']:.4f} {values['Accuracy']:.1f}")

    def answered(code, _):
        say(f"answered {int(code)}")

    def there(owner):
        if not owner:
            return
        portal = bus.get_object(NAME, PATH, introspect=False)
        bus.add_signal_receiver(updated, "LocationUpdated", LOCATION, NAME)
        bus.add_signal_receiver(answered, "Response", "org.freedesktop.portal.Request", NAME)
        options = dbus.Dictionary({"session_handle_token": "test"}, signature="sv")
        session = portal.CreateSession(options, dbus_interface=LOCATION)
        say("session")
        portal.Start(session, "", dbus.Dictionary({}, signature="sv"), dbus_interface=LOCATION)
        say("started")

    bus.watch_name_owner(NAME, there)
    try:
        loop.run()
    finally:
        for child in (portal, daemon):
            child.terminate()
        del desktop


if __name__ == "__main__":
    main(*sys.argv[1:])
