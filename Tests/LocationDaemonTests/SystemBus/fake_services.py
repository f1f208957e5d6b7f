#!/usr/bin/env python3
"""GeoClue, ModemManager and NetworkManager as the sources' examples see them, on the bus of $DBUS_SYSTEM_BUS_ADDRESS, and
a service that knows where Wi-Fi stations are, at a port that is printed.

Written from their published interfaces. Prints a line for each call that switches something on or off, and for what the
service is told. With "deny", GeoClue lets nobody start; with "no-modem", there is none, and with "no-wifi" no adapter;
with "busy", the service refuses.
"""
import http.server
import json
import sys
import threading
import time

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

PROPERTIES = "org.freedesktop.DBus.Properties"
GEOCLUE = "org.freedesktop.GeoClue2"
MODEM = "org.freedesktop.ModemManager1"
NETWORK = "org.freedesktop.NetworkManager"


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


class Network(dbus.service.Object):
    @dbus.service.method(NETWORK, out_signature="ao")
    def GetDevices(self):
        return [dbus.ObjectPath(f"/org/freedesktop/NetworkManager/Devices/{number}") for number in (1, 2)]


class Device(dbus.service.Object):
    def __init__(self, bus, number, kind, stations=()):
        super().__init__(bus, f"/org/freedesktop/NetworkManager/Devices/{number}")
        self.kind, self.stations = kind, stations

    @dbus.service.method(PROPERTIES, in_signature="s", out_signature="a{sv}")
    def GetAll(self, _):
        return {"DeviceType": dbus.UInt32(self.kind)}

    @dbus.service.method(NETWORK + ".Device.Wireless", in_signature="a{sv}")
    def RequestScan(self, _):
        say("Wi-Fi scans")

    @dbus.service.method(NETWORK + ".Device.Wireless", out_signature="ao")
    def GetAllAccessPoints(self):
        return [station._object_path for station in self.stations]


class Station(dbus.service.Object):
    def __init__(self, bus, number, address, name, strength, age):
        super().__init__(bus, f"/org/freedesktop/NetworkManager/AccessPoint/{number}")
        self.values = (address, name, strength, age)

    @dbus.service.method(PROPERTIES, in_signature="s", out_signature="a{sv}")
    def GetAll(self, _):
        address, name, strength, age = self.values
        return {
            "HwAddress": address,
            "Ssid": dbus.ByteArray(name),
            "Strength": dbus.Byte(strength),
            "Frequency": dbus.UInt32(2412),
            "LastSeen": dbus.Int32(int(time.clock_gettime(time.CLOCK_BOOTTIME)) - age),
        }


class Ichnaea(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        stations = [f"{s['macAddress']} {s['signalStrength']}" for s in message.pop("wifiAccessPoints")]
        say(f"asked {self.path} about {', '.join(stations)} {json.dumps(message)}")
        answer = b'{"location": {"lat": 53.5451, "lng": 9.9672}, "accuracy": 30.0}'
        self.send_response(429 if "busy" in sys.argv else 200)
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


web = http.server.HTTPServer(("127.0.0.1", 0), Ichnaea)
threading.Thread(target=web.serve_forever, daemon=True).start()
dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
system = dbus.SystemBus()
names = [dbus.service.BusName(name, system) for name in (GEOCLUE, MODEM, NETWORK)]
objects = [
    Manager(system, "/org/freedesktop/GeoClue2/Manager"),
    Modems(system, "/org/freedesktop/ModemManager1"),
    Modem(system, "/org/freedesktop/ModemManager1/Modem/0"),
    Network(system, "/org/freedesktop/NetworkManager"),
    Device(system, 1, 1),
]
if "no-wifi" not in sys.argv:
    stations = [
        Station(system, number, *values)
        for number, values in enumerate([
            ("00:25:9C:00:00:01", b"Harbour", 60, 1),
            ("00:25:9C:00:00:02", b"Harbour guests", 80, 2),
            ("00:25:9C:00:00:03", b"Quiet_nomap", 99, 1),
            ("02:25:9C:00:00:04", b"Somebody's phone", 99, 1),
            ("00:25:9C:00:00:05", b"Yesterday's", 99, 600),
        ])
    ]
    objects += [*stations, Device(system, 2, 2, stations)]
else:
    objects.append(Device(system, 2, 1))
say("ready")
say(f"port {web.server_address[1]}")
GLib.MainLoop().run()
