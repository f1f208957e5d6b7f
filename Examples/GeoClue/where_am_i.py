#!/usr/bin/env python3
"""Asks GeoClue's name on the system bus where this device is, once. Debian: python3-gi, gir1.2-geoclue-2.0."""

import sys

import gi

gi.require_version("Geoclue", "2.0")
from gi.repository import Geoclue, GLib  # noqa: E402

try:
    location = Geoclue.Simple.new_sync("where-am-i", Geoclue.AccuracyLevel.EXACT, None).get_location()
except GLib.Error as error:
    sys.exit(f"where_am_i: {error.message}")
print(f"{location.props.latitude:.6f}, {location.props.longitude:.6f} ±{location.props.accuracy:.0f} m")
