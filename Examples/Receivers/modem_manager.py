#!/usr/bin/env python3
"""Gives locationd what the satellite receiver of a phone's modem says, which ModemManager has (docs/sources.md).

    modem_manager.py /run/user/1000/modem.nmea
    locationd --nmea /run/user/1000/modem.nmea

The pipe is made, for its owner alone. The receiver is on while locationd reads it. Needs python3-dbus, and the right to
use modems (org.freedesktop.ModemManager1.Location in polkit).
"""
import errno
import os
import select
import stat
import sys
import time

import dbus

SERVICE = "org.freedesktop.ModemManager1"
LOCATION = SERVICE + ".Modem.Location"
PROPERTIES = "org.freedesktop.DBus.Properties"
# MMModemLocationSource: sentences of NMEA 0183.
NMEA = 1 << 2


class Failure(Exception):
    """Something a person can fix."""


class Receiver:
    """The satellite receiver of the first modem that has one, on until it is closed."""

    def __init__(self):
        bus = dbus.SystemBus()
        manager = dbus.Interface(
            bus.get_object(SERVICE, "/org/freedesktop/ModemManager1"), "org.freedesktop.DBus.ObjectManager"
        )
        for path, interfaces in sorted(manager.GetManagedObjects().items()):
            if int(interfaces.get(LOCATION, {}).get("Capabilities", 0)) & NMEA:
                break
        else:
            raise Failure("no modem has a satellite receiver that tells NMEA 0183 (mmcli -m any --location-status)")
        self.location = dbus.Interface(bus.get_object(SERVICE, path), LOCATION)
        # Sources that others use, such as the network's cells, go on as they were.
        self.others = int(interfaces[LOCATION].get("Enabled", 0)) & ~NMEA
        self.location.Setup(dbus.UInt32(self.others | NMEA), False)
        try:
            self.location.SetGpsRefreshRate(dbus.UInt32(1))
        except dbus.DBusException:
            # Older ones have a rate of their own.
            pass

    def sentences(self):
        text = str(self.location.GetLocation().get(NMEA, ""))
        # Skip the modem's empty lines. Each line ends in CR LF.
        return "".join(line + "\r\n" for line in text.split() if line.startswith("$")).encode("ascii", "ignore")

    def close(self):
        try:
            self.location.Setup(dbus.UInt32(self.others), False)
        except dbus.DBusException:
            # The modem is gone, and its receiver with it.
            pass


def opened(path):
    """The pipe, when somebody reads it; None while nobody does."""
    try:
        os.mkfifo(path, 0o600)
    except FileExistsError:
        if not stat.S_ISFIFO(os.stat(path).st_mode):
            raise Failure(f"{path} is there and is no pipe; name another") from None
    try:
        return os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    except OSError as error:
        if error.errno == errno.ENXIO:
            return None
        raise


def serve(pipe):
    """Writes what the receiver says until nobody reads it any more."""
    receiver, last = Receiver(), b""
    try:
        while True:
            sentences = receiver.sentences()
            # The modem repeats its newest ones until it has others.
            if sentences and sentences != last:
                os.write(pipe, sentences)
            last = sentences
            if not is_read(pipe):
                return
            time.sleep(1)
    finally:
        receiver.close()


def is_read(pipe):
    """Whether somebody reads the pipe; the kernel tells an error when nobody does."""
    poll = select.poll()
    poll.register(pipe, 0)
    return not poll.poll(0)


def main(path):
    said = None
    while True:
        pipe, pause = None, 1
        try:
            pipe = opened(path)
            if pipe is not None:
                serve(pipe)
                said = None
        except (BrokenPipeError, BlockingIOError):
            # It reads no more, or too slowly: what is old is worth nothing.
            pass
        except (Failure, OSError, dbus.DBusException) as error:
            words = error.get_dbus_message() if isinstance(error, dbus.DBusException) else str(error)
            if words != said:
                print(f"ModemManager: {words}", file=sys.stderr, flush=True)
            said, pause = words, 10
        finally:
            if pipe is not None:
                os.close(pipe)
        time.sleep(pause)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
