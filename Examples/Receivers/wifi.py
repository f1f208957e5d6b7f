#!/usr/bin/env python3
"""Finds positions by the Wi-Fi stations around, which it asks a service for, and tells them to locationd (docs/sources.md).

    locationd --program /run/user/1000/locationd/wifi.sock
    wifi.py /run/user/1000/locationd/wifi.sock --service https://api.beacondb.net/v1/geolocate

The service is any that speaks Ichnaea's protocol (beaconDB, your own Ichnaea); there is none unless it is named.
NetworkManager scans. Needs python3-dbus.
"""
import argparse
import json
import os
import pathlib
import re
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

import dbus

import source

MANAGER = "org.freedesktop.NetworkManager"
DEVICE = MANAGER + ".Device"
WIRELESS = DEVICE + ".Wireless"
STATION = MANAGER + ".AccessPoint"
PROPERTIES = "org.freedesktop.DBus.Properties"
WIFI = 2
# Seconds between two scans; NetworkManager refuses more than one in ten.
SCAN_EVERY = 15
# Seconds between two looks at what it heard, and that a station counts after it was heard.
LOOK_EVERY, HEARD_MAX = 5, 60
# Metres a second that the device may have gone since: as fast as people walk where there is Wi-Fi.
PACE = 1.5
# Fewer say nothing: one may have been carried elsewhere. More say nothing new.
STATIONS_MIN, STATIONS_MAX = 2, 40
# The share of the strongest stations that is as before while the device has not moved far: it is not asked again.
SAME = 0.75
# Seconds that an answer counts while the stations are the same.
ANSWER_MAX = 3600
# Seconds: for the service's answer, between two questions, and between two tries of a service that fails.
TIMEOUT, ASK_EVERY, PAUSE_MIN, PAUSE_MAX = 10, 60, 30, 3600
ANSWER_BYTES_MAX = 16 * 1024


class NoRedirection(urllib.request.HTTPRedirectHandler):
    """The stations are for the service that was named, and for no other."""

    def redirect_request(self, *_):
        return None


def is_asked_about(address, name):
    """Whether a station may be told: not one whose owner said no, and no phone's hotspot, which moves.

    Source: `_nomap` and the bit of locally administered addresses (IEEE 802) as Ichnaea's documentation asks of clients.
    """
    if not re.fullmatch(r"([0-9a-f]{2}:){5}[0-9a-f]{2}", address):
        return False
    return not name.endswith(b"_nomap") and int(address[:2], 16) & 0b11 == 0


class Radio:
    """The stations that NetworkManager receives."""

    def __init__(self):
        self.bus = dbus.bus.BusConnection(dbus.bus.BusConnection.TYPE_SYSTEM)
        self.scanned = None

    def close(self):
        self.bus.close()

    def get(self, path, interface):
        return dbus.Interface(self.bus.get_object(MANAGER, path), PROPERTIES).GetAll(interface)

    def stations(self):
        """The stations heard of late, as the service's protocol has them; the strongest first."""
        try:
            return self.heard()
        except dbus.DBusException as error:
            raise source.Trouble(f"NetworkManager: {error.get_dbus_message() or error.get_dbus_name()}") from error

    def heard(self):
        manager = self.bus.get_object(MANAGER, "/org/freedesktop/NetworkManager")
        devices = [path for path in dbus.Interface(manager, MANAGER).GetDevices() if self.get(path, DEVICE)["DeviceType"] == WIFI]
        if not devices:
            raise source.Trouble("NetworkManager: there is no Wi-Fi adapter, or it is switched off")
        now = time.clock_gettime(time.CLOCK_BOOTTIME)
        if self.scanned is None or now - self.scanned >= SCAN_EVERY:
            self.scanned = now
            for path in devices:
                try:
                    dbus.Interface(self.bus.get_object(MANAGER, path), WIRELESS).RequestScan({})
                except dbus.DBusException:
                    # Another scan is under way, or the last one was too recent. Its results are read below.
                    pass
        found = {}
        for device in devices:
            for path in dbus.Interface(self.bus.get_object(MANAGER, device), WIRELESS).GetAllAccessPoints():
                try:
                    station = self.get(path, STATION)
                except dbus.DBusException:
                    # Gone since.
                    continue
                address = str(station["HwAddress"]).lower()
                age = now - station["LastSeen"]
                if station["LastSeen"] < 0 or not 0 <= age <= HEARD_MAX or not is_asked_about(address, bytes(station["Ssid"])):
                    continue
                found[address] = {
                    "macAddress": address,
                    # NetworkManager's per cent are twice the decibels above -100 dBm.
                    "signalStrength": int(station["Strength"]) // 2 - 100,
                    "frequency": int(station["Frequency"]),
                    "age": int(age * 1000),
                }
        return sorted(found.values(), key=lambda station: -station["signalStrength"])[:STATIONS_MAX]


class Service:
    """The service's last word, and when it may be asked again."""

    def __init__(self, url, key):
        self.url = url + (f"?key={urllib.parse.quote(key)}" if key else "")
        self.opener = urllib.request.build_opener(NoRedirection)
        self.pause, self.again = PAUSE_MIN, 0.0
        self.asked_about, self.answer, self.answered = frozenset(), None, 0.0

    def place(self, stations):
        """Where these stations are, as fields of a fix; None when nobody knows."""
        now = time.monotonic()
        addresses = frozenset(station["macAddress"] for station in stations)
        common = len(addresses & self.asked_about)
        is_same = common >= SAME * max(len(addresses), len(self.asked_about), 1)
        if is_same and now - self.answered < ANSWER_MAX:
            return self.answer
        if now < self.again:
            return None
        self.answer = self.ask(stations)
        self.asked_about, self.answered = addresses, now
        self.pause, self.again = PAUSE_MIN, now + ASK_EVERY
        return self.answer

    def ask(self, stations):
        # No fallbacks: the address of the network may be a tunnel's end, a continent away.
        message = {"considerIp": False, "fallbacks": {"ipf": False, "lacf": False}, "wifiAccessPoints": stations}
        body = json.dumps(message).encode()
        request = urllib.request.Request(
            self.url, body, {"content-type": "application/json", "user-agent": "whereabouts-wifi"}
        )
        try:
            with self.opener.open(request, timeout=TIMEOUT) as response:
                return self.read(response.read(ANSWER_BYTES_MAX))
        except urllib.error.HTTPError as error:
            if error.code == 404:
                # The service knows no station of this scan. Do not ask about the same stations again.
                return None
            raise self.failed(f"answered with status {error.code}") from error
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise self.failed(f"gave no answer: {getattr(error, 'reason', error)}") from error

    def failed(self, words):
        self.again = time.monotonic() + self.pause
        self.pause = min(self.pause * 2, PAUSE_MAX)
        return source.Trouble(f"{urllib.parse.urlsplit(self.url).hostname} {words}")

    @staticmethod
    def read(body):
        answer = json.loads(body)
        latitude, longitude = float(answer["location"]["lat"]), float(answer["location"]["lng"])
        accuracy = float(answer["accuracy"])
        if not (-90 <= latitude <= 90 and -180 <= longitude <= 180 and 0 < accuracy <= 2_000_000):
            raise ValueError("a number out of its range")
        # An answer is the middle of where stations were heard, so that the next one differs by no error of its own.
        return {"latitude": latitude, "longitude": longitude, "accuracy": max(accuracy, 0.001), "isEstimate": True}


class Searching:
    """A search by Wi-Fi."""

    def __init__(self, service):
        self.service = service
        self.radio = Radio()
        self.stations, self.looked = [], None

    def position(self):
        now = time.monotonic()
        if self.looked is None or now - self.looked >= LOOK_EVERY:
            self.stations, self.looked = self.radio.stations(), now
        if len(self.stations) < STATIONS_MIN:
            return None
        place = self.service.place(self.stations)
        if place is None:
            return None
        # Where it is now: the way that it may have gone since is a part of the radius.
        age = min(station["age"] for station in self.stations) / 1000 + now - self.looked
        return place | {"accuracy": place["accuracy"] + PACE * age}

    def close(self):
        self.radio.close()


def agreed(url, yes):
    """Whether the owner agrees that the service learns of the stations; asked once for each service."""
    state = pathlib.Path(os.environ.get("XDG_STATE_HOME") or pathlib.Path.home() / ".local/state")
    file = state / "whereabouts" / "wifi-service"
    if file.exists() and file.read_text(encoding="utf-8").strip() == url:
        return True
    host = urllib.parse.urlsplit(url).hostname
    print(
        f"While an app needs positions, {host} is sent the addresses of the Wi-Fi stations around this device, with their\n"
        f"strengths: it learns where the device is, and its network address. Stations whose owners ask not to be mapped\n"
        f"(_nomap), and phones' hotspots, are left out.",
        file=sys.stderr,
    )
    if not yes:
        if not sys.stdin.isatty():
            print("There is no terminal to confirm on: pass --yes.", file=sys.stderr)
            return False
        print("Do you agree? Type yes:", file=sys.stderr)
        if sys.stdin.readline().strip().lower() != "yes":
            return False
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(url + "\n", encoding="utf-8")
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("socket", help="the socket of locationd's --program")
    parser.add_argument("--service", required=True, help="the URL of the service; https, or http on this machine")
    parser.add_argument("--key-file", help="a file of the key that the service asks for")
    parser.add_argument("--yes", action="store_true", help="agree to what the service learns")
    options = parser.parse_args()
    parts = urllib.parse.urlsplit(options.service)
    is_local = parts.hostname in ("localhost", "127.0.0.1", "::1")
    if not parts.hostname or parts.query or not (parts.scheme == "https" or parts.scheme == "http" and is_local):
        parser.error(f"'{options.service}' is not the address of a service: expected https://host/v1/geolocate")
    try:
        key = pathlib.Path(options.key_file).read_text(encoding="utf-8").strip() if options.key_file else None
    except OSError as error:
        parser.error(f"the key cannot be read: {error}")
    if not agreed(options.service, options.yes):
        sys.exit(1)
    # One for all searches: what it said and when it failed outlives them.
    service = Service(options.service, key)
    source.run(options.socket, "Wi-Fi", lambda: Searching(service))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
