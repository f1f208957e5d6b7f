#!/usr/bin/env python3
"""Tells locationd which beacons a Bluetooth adapter receives, by BlueZ (docs/beacons.md).

    locationd --beacon-feed /run/user/1000/locationd/beacons.sock
    bluez.py /run/user/1000/locationd/beacons.sock [ADAPTER]

The first adapter that is powered, unless one is named (hci0, for example). It discovers while locationd needs beacons,
and only then. Needs python3-dbus, python3-gi, and the right to use BlueZ.
"""
import json
import socket
import sys
import time
import uuid

import dbus
import dbus.mainloop.glib
from gi.repository import GLib

SERVICE = "org.bluez"
ADAPTER = SERVICE + ".Adapter1"
DEVICE = SERVICE + ".Device1"
PROPERTIES = "org.freedesktop.DBus.Properties"
OBJECTS = "org.freedesktop.DBus.ObjectManager"
# Apple's number among the companies of Bluetooth ("Assigned Numbers", 7), and the type and length of its iBeacon.
APPLE = 0x004C
IBEACON = b"\x02\x15"
# LE alone, each packet. A threshold, the weakest there is, has BlueZ begin again at once after each ten seconds of the kernel's, and
# tell each change of strength (src/adapter.c: no_scan_restart_delay, filtered_discovery).
FILTER = dbus.Dictionary({"Transport": "le", "DuplicateData": True, "RSSI": dbus.Int16(-127)}, signature="sv")
# BlueZ itself begins again after ten seconds when the kernel refused.
PATIENCE = 15
PAUSE = 5
REMEDIES = {
    "org.freedesktop.DBus.Error.ServiceUnknown": "it does not run (systemctl start bluetooth)",
    "org.freedesktop.DBus.Error.NameHasNoOwner": "it does not run (systemctl start bluetooth)",
    "org.freedesktop.DBus.Error.AccessDenied": "this user may not use it (on Debian: adduser USER bluetooth)",
    "org.freedesktop.DBus.Error.FileNotFound": "there is no system bus (apt-get install dbus)",
    "org.freedesktop.DBus.Error.NoReply": "it does not answer",
}


class Failure(Exception):
    """Something a person can fix."""


class Scan:
    """A discovery with one adapter, on until it is closed."""

    def __init__(self, name):
        # A connection of its own: BlueZ ends a discovery with the connection that began it, whatever happens here.
        self.bus = dbus.bus.BusConnection(dbus.bus.BusConnection.TYPE_SYSTEM)
        self.bus.set_exit_on_disconnect(False)
        self.received, self.devices = [], {}
        try:
            self.path = self.adapter(name)
            self.bus.add_signal_receiver(self.changed, "PropertiesChanged", PROPERTIES, SERVICE, path_keyword="path")
            self.bus.add_signal_receiver(self.added, "InterfacesAdded", OBJECTS, SERVICE)
            self.bus.add_signal_receiver(self.removed, "InterfacesRemoved", OBJECTS, SERVICE)
            adapter = self.interface(self.path, ADAPTER)
            adapter.SetDiscoveryFilter(FILTER, timeout=PAUSE)
            adapter.StartDiscovery(timeout=PAUSE)
        except BaseException:
            self.bus.close()
            raise
        self.last = time.monotonic()

    def close(self):
        self.bus.close()

    def interface(self, path, name):
        # Not introspected: that would wait for half a minute where BlueZ hangs.
        return dbus.Interface(self.bus.get_object(SERVICE, path, introspect=False), name)

    def adapter(self, name):
        """The path of the adapter that is named, or of the first that is powered."""
        objects = sorted(self.interface("/", OBJECTS).GetManagedObjects(timeout=PAUSE).items())
        # A device that BlueZ knew before is no reception, but its next word may tell the change alone.
        self.devices = {str(path): dict(them[DEVICE]) for path, them in objects if DEVICE in them}
        adapters = [(path, them[ADAPTER]) for path, them in objects if ADAPTER in them]
        if name:
            adapters = [it for it in adapters if it[0].endswith("/" + name)]
        if not adapters:
            raise Failure(f"there is no adapter {name}" if name else "there is no Bluetooth adapter (bluetoothctl list)")
        for path, values in adapters:
            if values.get("Powered"):
                return str(path)
        raise Failure("the Bluetooth adapter is off (bluetoothctl power on; rfkill unblock bluetooth)")

    def listens(self):
        """Whether BlueZ answers that it discovers: a word of its own would hide that it hangs."""
        values = self.interface(self.path, PROPERTIES).GetAll(ADAPTER, timeout=2)
        if not values.get("Powered"):
            raise Failure("the Bluetooth adapter was switched off (bluetoothctl power on)")
        if values.get("Discovering"):
            self.last = time.monotonic()
            return True
        if time.monotonic() - self.last > PATIENCE:
            raise Failure("the Bluetooth adapter does not discover any more")
        return False

    def changed(self, interface, values, invalidated, path):
        if interface == DEVICE:
            for name in invalidated:
                self.devices.get(str(path), {}).pop(name, None)
            self.found(path, values)

    def added(self, path, interfaces):
        if DEVICE in interfaces:
            self.found(path, interfaces[DEVICE])

    def removed(self, path, interfaces):
        if DEVICE in interfaces:
            self.devices.pop(str(path), None)

    def found(self, path, values):
        if not path.startswith(self.path + "/"):
            return
        device = self.devices.setdefault(str(path), {})
        device.update(values)
        # A strength alone tells of a packet, too: the data of it were told before.
        if "ManufacturerData" in values or "RSSI" in values:
            packet, rssi = device.get("ManufacturerData", {}).get(APPLE, b""), device.get("RSSI")
            line = rssi is not None and advertisement(bytes(packet), int(rssi))
            if line:
                self.received.append(line)

    def take(self):
        lines, self.received = self.received, []
        return lines


def advertisement(packet, rssi):
    """The fields of an iBeacon's packet, from the bytes after the company's number; None if it is not one."""
    if len(packet) != 23 or packet[:2] != IBEACON:
        return None
    return {
        "uuid": str(uuid.UUID(bytes=packet[2:18])),
        "major": int.from_bytes(packet[18:20], "big"),
        "minor": int.from_bytes(packet[20:22], "big"),
        "measuredPower": int.from_bytes(packet[22:23], "big", signed=True),
        "rssi": rssi,
        "time": time.time(),
    }


class Speaker:
    """Words for a person on standard error, each once until all is well again."""

    said = None

    def say(self, words):
        if words and words != self.said:
            print(f"BlueZ: {words}", file=sys.stderr, flush=True)
        self.said = words


def words(error):
    if not isinstance(error, dbus.DBusException):
        return str(error)
    return REMEDIES.get(error.get_dbus_name(), error.get_dbus_message() or error.get_dbus_name())


def serve(link, name, speaker):
    """Tells receptions until locationd closes the connection, which is how it switches this off."""
    context, scan, next_check, next_try = GLib.MainContext.default(), None, 0, 0
    # The loop wakes for the bus, for time, and for locationd, which says nothing but its end.
    sources = [
        GLib.timeout_add(500, lambda: True),
        GLib.io_add_watch(link.fileno(), GLib.PRIORITY_DEFAULT, GLib.IO_IN | GLib.IO_HUP, lambda *_: True),
    ]
    try:
        while is_open(link):
            lines, now = scan.take() if scan else [], time.monotonic()
            try:
                if scan is None and now >= next_try:
                    scan = Scan(name)
                if scan and now >= next_check:
                    next_check = now + 0.9
                    if scan.listens():
                        lines.append({"listening": True})
                        speaker.say(None)
            except (Failure, dbus.DBusException) as error:
                speaker.say(words(error))
                if scan:
                    scan.close()
                scan, lines, next_try = None, [{"listening": False}], time.monotonic() + PAUSE
            link.sendall(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
            context.iteration(True)
    finally:
        for source in sources:
            GLib.source_remove(source)
        if scan:
            scan.close()


def is_open(link):
    """Whether locationd still wants beacons; it says nothing but its end."""
    try:
        return bool(link.recv(4096, socket.MSG_DONTWAIT))
    except BlockingIOError:
        return True


def main(path, name=None):
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    speaker = Speaker()
    while True:
        with socket.socket(socket.AF_UNIX) as link:
            try:
                # The socket is open while somebody needs beacons: a connection switches the scanner on.
                link.connect(path)
                serve(link, name, speaker)
            except OSError:
                pass
        time.sleep(1)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:])
    except KeyboardInterrupt:
        pass
