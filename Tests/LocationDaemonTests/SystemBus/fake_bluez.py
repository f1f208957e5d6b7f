#!/usr/bin/env python3
"""BlueZ as a scanner of beacons sees it, on the bus of $DBUS_SYSTEM_BUS_ADDRESS.

Written from its published interface (org.bluez.Adapter1, org.bluez.Device1). Prints a line for each discovery that begins
and ends. An iBeacon is received every tenth of a second while somebody discovers, beside a device that is none and one of
another adapter. With "no-adapter" there is none, with "off" it has no power, with "deny" nobody may discover; with
"switched-off" it loses its power after the first second of each discovery, for two seconds; with "hang" nothing answers
after that, and nothing is received.
"""
import sys

import dbus
import dbus.lowlevel
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

PROPERTIES = "org.freedesktop.DBus.Properties"
OBJECTS = "org.freedesktop.DBus.ObjectManager"
ADAPTER = "org.bluez.Adapter1"
DEVICE = "org.bluez.Device1"
HCI0 = "/org/bluez/hci0"
BEACON = HCI0 + "/dev_C0_FF_EE_00_00_01"
IBEACON = bytes.fromhex("0215" "E2C56DB5DFFB48D2B060D0F5A71096E0" "0001" "0002" "C5")
NEARBY = bytes.fromhex("1005011C0A0B0C")


def say(words):
    print(words, flush=True)


def found(packet, rssi):
    data = dbus.Dictionary({dbus.UInt16(0x004C): dbus.Array(packet, signature="y", variant_level=1)}, signature="qv")
    return dbus.Dictionary({"ManufacturerData": data, "RSSI": dbus.Int16(rssi)}, signature="sv")


class Adapter(dbus.service.Object):
    filter, client, count, is_powered, hangs = {}, None, 0, "off" not in sys.argv, False

    @dbus.service.method(ADAPTER, in_signature="a{sv}", sender_keyword="sender")
    def SetDiscoveryFilter(self, values, sender):
        self.filter = values

    @dbus.service.method(ADAPTER, sender_keyword="sender")
    def StartDiscovery(self, sender):
        if "deny" in sys.argv:
            raise dbus.DBusException("Rejected send message", name="org.freedesktop.DBus.Error.AccessDenied")
        self.client, self.count = sender, 0
        say(f"hci0 discovers {self.filter['Transport']}")
        self.connection.watch_name_owner(sender, lambda owner: None if owner else self.stop(sender))
        GLib.timeout_add(100, self.receive)

    def stop(self, client):
        if client == self.client:
            self.client = None
            say("hci0 stops")

    @dbus.service.method(PROPERTIES, in_signature="s", out_signature="a{sv}", async_callbacks=("answer", "fail"))
    def GetAll(self, _, answer, fail):
        if not self.hangs:
            answer(self.values())

    def values(self):
        return {"Powered": dbus.Boolean(self.is_powered), "Discovering": dbus.Boolean(bool(self.client))}

    def receive(self):
        if not self.client:
            return False
        self.count += 1
        if self.count == 10 and "hang" in sys.argv:
            self.hangs = True
            return False
        if self.count == 10 and "switched-off" in sys.argv:
            self.is_powered = False
            GLib.timeout_add(2000, self.power)
            return False
        if self.count == 1:
            objects.InterfacesAdded(BEACON, {DEVICE: found(IBEACON, -65)})
            return True
        # BlueZ tells the data with each packet, and the strength where it is another one.
        for path, packet in ((BEACON, IBEACON), (HCI0 + "/dev_1", NEARBY), ("/org/bluez/hci1/dev_2", IBEACON)):
            values = found(packet, -65)
            if path == BEACON:
                del values["RSSI"]
            message = dbus.lowlevel.SignalMessage(path, PROPERTIES, "PropertiesChanged")
            message.append(DEVICE, values, dbus.Array(signature="s"), signature="sa{sv}as")
            self.connection.send_message(message)
        return True

    def power(self):
        self.is_powered = True
        return False


class Objects(dbus.service.Object):
    @dbus.service.method(OBJECTS, out_signature="a{oa{sa{sv}}}")
    def GetManagedObjects(self):
        if "no-adapter" in sys.argv:
            return dbus.Dictionary(signature="oa{sa{sv}}")
        return {dbus.ObjectPath(HCI0): {ADAPTER: adapter.values()}}

    @dbus.service.signal(OBJECTS, signature="oa{sa{sv}}")
    def InterfacesAdded(self, path, interfaces):
        pass


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
system = dbus.SystemBus()
name = dbus.service.BusName("org.bluez", system)
adapter, objects = Adapter(system, HCI0), Objects(system, "/")
say("ready")
GLib.MainLoop().run()
