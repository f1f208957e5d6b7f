#!/usr/bin/env python3
"""Asks a phone for its position through Home Assistant, and passes it on to locationd (docs/sources.md).

    locationd --program /run/user/1000/locationd/phone.sock
    home_assistant.py /run/user/1000/locationd/phone.sock --url https://homeassistant.local:8123 \\
        --phone ada_iphone --token-file token

The phone runs Home Assistant's companion app and may use the location in the background ("Always"). The token is a
long-lived access token (Home Assistant: your profile, Security). While an app needs a position, this program asks the phone
at most once a minute. Home Assistant and this machine see the position in clear.
"""
import argparse
import datetime
import email.utils
import json
import math
import pathlib
import re
import ssl
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

import source

# Seconds between two questions. iOS delivers about three background pushes an hour for sure; a minute is its burst.
PAUSE = 60
# Seconds until a question counts as unanswered. Phones answer within 20 s or not at all.
PATIENCE = 25
# Seconds for one call of Home Assistant.
TIMEOUT = 10
# A state has about 1,000 bytes.
BODY_MAX = 256 * 1024


class HomeAssistant:
    """The two calls of Home Assistant's REST API that are needed (developers.home-assistant.io/docs/api/rest)."""

    def __init__(self, url, token, context):
        self.url, self.token = url.rstrip("/"), token

        class NoRedirect(urllib.request.HTTPRedirectHandler):
            def redirect_request(self, *_):
                # The token is for this address only.
                return None

        self.opener = urllib.request.build_opener(NoRedirect, urllib.request.HTTPSHandler(context=context))

    def call(self, path, body=None):
        """Returns the JSON of a reply and the time of Home Assistant's clock."""
        headers = {"authorization": f"Bearer {self.token}", "content-type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        try:
            with self.opener.open(urllib.request.Request(self.url + path, data, headers), timeout=TIMEOUT) as response:
                content = response.read(BODY_MAX + 1)
                moment = response.headers.get("date")
        except urllib.error.HTTPError as error:
            raise source.Trouble(self.explain(error.code, path)) from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "reason", error)
            raise source.Trouble(f"Home Assistant at {self.url} cannot be reached: {reason}") from None
        if len(content) > BODY_MAX:
            raise source.Trouble(f"Home Assistant sent more than {BODY_MAX} bytes for {path}")
        try:
            clock = email.utils.parsedate_to_datetime(moment).timestamp() if moment else time.time()
            return json.loads(content), clock
        except (TypeError, ValueError, RecursionError):
            raise source.Trouble(f"Home Assistant sent no JSON for {path}; is --url its address?") from None

    def explain(self, status, path):
        if status in (401, 403):
            return (
                f"Home Assistant refuses the token ({status}). Create a long-lived access token in your profile "
                "and write it to the file of --token-file."
            )
        if status in (400, 404):
            return f"Home Assistant does not know {path.removeprefix('/api/')} ({status}). Check --phone, --tracker, --notify."
        return f"Home Assistant answered {status} to {path.removeprefix('/api/')}."


class Phone:
    """A phone with the companion app: what was asked, and what it reported since."""

    def __init__(self, assistant, tracker, notify):
        self.assistant, self.tracker, self.notify = assistant, tracker, notify
        # The last question: on this machine's monotonic clock, and on Home Assistant's clock.
        self.asked = None
        self.asked_there = math.inf
        self.passed_on = 0

    def position(self):
        """Returns a fix that is newer than the last question and was not passed on yet, or a state."""
        if self.asked is None or time.monotonic() - self.asked >= PAUSE:
            # Android delivers at once with this priority; iOS does anyway.
            body = {"message": "request_location_update", "data": {"ttl": 0, "priority": "high"}}
            # Until the question is out, no report can be its answer.
            self.asked, self.asked_there = time.monotonic(), math.inf
            _, self.asked_there = self.assistant.call(f"/api/services/notify/{self.notify}", body)
        state, clock = self.assistant.call(f"/api/states/{self.tracker}")
        reported = reported_at(state)
        if reported is not None and reported >= self.asked_there and reported > self.passed_on:
            fix = fix_of(state, time.time() - max(0, clock - reported))
            if fix is not None:
                self.passed_on = reported
                return fix
        is_answered = self.passed_on >= self.asked_there
        return "searching" if is_answered or time.monotonic() - self.asked < PATIENCE else "lost"

    def close(self):
        pass


def reported_at(state):
    """Returns when the phone reported last, in seconds since 1970 on Home Assistant's clock.

    `last_updated` stays as it is while a phone reports the same position; `last_reported` (since 2024.8) does not.
    """
    if not isinstance(state, dict):
        return None
    text = state.get("last_reported") or state.get("last_updated")
    try:
        return datetime.datetime.fromisoformat(text).timestamp()
    except (TypeError, ValueError):
        return None


def fix_of(state, moment):
    """Returns locationd's fix for a state of a device tracker, or None if the state has no position."""
    attributes = state.get("attributes")
    if not isinstance(attributes, dict):
        return None

    def number(name, least, most):
        value = attributes.get(name)
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        return float(value) if is_number and least <= value <= most else None

    latitude, longitude = number("latitude", -90, 90), number("longitude", -180, 180)
    if latitude is None or longitude is None:
        return None
    # Phones combine several sources and smooth the result.
    fix = {"latitude": latitude, "longitude": longitude, "time": moment, "isEstimate": True}
    rest = {
        "accuracy": number("gps_accuracy", 0.001, 2_000_000),
        "altitude": number("altitude", -20_000, 2_000_000),
        "verticalAccuracy": number("vertical_accuracy", 0.001, 2_000_000),
        "course": number("course", 0, 360),
        "speed": number("speed", 0, 20_000),
    }
    return fix | {name: value for name, value in rest.items() if value is not None}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("socket", help="the socket of locationd's --program")
    parser.add_argument("--url", required=True, help="Home Assistant's address, such as https://homeassistant.local:8123")
    parser.add_argument("--token-file", required=True, help="a file with a long-lived access token")
    parser.add_argument("--phone", help="the phone's name in Home Assistant: device_tracker.NAME, notify.mobile_app_NAME")
    parser.add_argument("--tracker", help="the entity with the position [device_tracker.PHONE]")
    parser.add_argument("--notify", help="the service that reaches the phone [mobile_app_PHONE]")
    parser.add_argument("--authority", help="certificates (PEM) to trust, for an address with a certificate of your own")
    parser.add_argument("--plain-http", action="store_true", help="send the token without TLS to another machine")
    options = parser.parse_args()
    address = urllib.parse.urlsplit(options.url)
    if address.scheme not in ("http", "https") or not address.hostname:
        parser.error(f"--url {options.url}: expected an address such as https://homeassistant.local:8123")
    is_local = address.hostname in ("localhost", "127.0.0.1", "::1")
    if address.scheme == "http" and not is_local and not options.plain_http:
        parser.error(
            f"--url {options.url}: anyone on the network could read the token, which controls the whole house. "
            "Use https, or pass --plain-http if you accept that."
        )
    tracker = options.tracker or (options.phone and f"device_tracker.{options.phone}")
    notify = options.notify or (options.phone and f"mobile_app_{options.phone}")
    if not tracker or not notify:
        parser.error("give --phone, or both --tracker and --notify")
    for option, value in (("--tracker", tracker), ("--notify", notify)):
        if not re.fullmatch(r"[a-z0-9_]+(\.[a-z0-9_]+)?", value):
            parser.error(f"{option} {value}: expected lower-case letters, digits and underscores")
    try:
        token = pathlib.Path(options.token_file).read_text().strip()
        context = ssl.create_default_context(cafile=options.authority)
    except (OSError, ssl.SSLError, UnicodeDecodeError) as error:
        parser.error(f"--token-file or --authority cannot be read: {error}")
    if not re.fullmatch(r"[\x21-\x7e]+", token):
        parser.error(f"--token-file {options.token_file}: expected one line with a long-lived access token")
    phone = Phone(HomeAssistant(options.url, token, context), tracker, notify)
    print(f"asking {tracker} at {address.hostname}", flush=True)
    source.run(options.socket, "home assistant", lambda: phone)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
