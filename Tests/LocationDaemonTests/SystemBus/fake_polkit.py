#!/usr/bin/env python3
"""polkit's authority on the bus of $DBUS_SYSTEM_BUS_ADDRESS, which allows one action to one user, and prints whom it was asked about.

usage: fake_polkit.py ACTION UID

With SIGUSR1 it allows nothing any more.
"""
import os
import signal
import sys

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

NAME = "org.freedesktop.PolicyKit1"


class Authority(dbus.service.Object):
    def __init__(self, bus, action, user):
        super().__init__(bus, "/org/freedesktop/PolicyKit1/Authority")
        self.allowed = (action, user)

    @dbus.service.method(
        NAME + ".Authority", in_signature="(sa{sv})sa{ss}us", out_signature="(bba{ss})"
    )
    def CheckAuthorization(self, subject, action, _, flags, __):
        kind, process = subject
        with open(f"/proc/{int(process['pid'])}/stat") as stat:
            begin = int(stat.read().rpartition(")")[2].split()[19])
        is_true = kind == "unix-process" and begin == int(process["start-time"]) and int(flags) == 0
        print(f"asked {int(process['uid'])} {'truly' if is_true else 'falsely'}", flush=True)
        if action != "org.whereabouts.location1.manage":
            raise dbus.DBusException("not registered", name=NAME + ".Error.Failed")
        return (action, int(process["uid"])) == self.allowed, False, dbus.Dictionary({}, signature="ss")

    @dbus.service.method(dbus.PROPERTIES_IFACE, in_signature="s", out_signature="a{sv}")
    def GetAll(self, _):
        return {"BackendName": "js", "BackendVersion": "122", "BackendFeatures": dbus.UInt32(1)}


def main(action, user):
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    bus = dbus.bus.BusConnection(os.environ["DBUS_SYSTEM_BUS_ADDRESS"])
    name = dbus.service.BusName(NAME, bus)
    authority = Authority(bus, action, int(user))

    def forbid():
        authority.allowed = None
        return True

    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGUSR1})
    GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGUSR1, forbid)
    print("ready", flush=True)
    GLib.MainLoop().run()
    del name


if __name__ == "__main__":
    main(*sys.argv[1:])
