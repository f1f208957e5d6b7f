#!/usr/bin/env python3
"""Asks an Android phone with OwnTracks for its position over MQTT, and passes it on to locationd (docs/sources.md).

    locationd --program /run/user/1000/locationd/phone.sock
    owntracks_mqtt.py /run/user/1000/locationd/phone.sock --broker broker.local --topic owntracks/ada/pixel \\
        --user ada --password-file password

In the app: mode MQTT, and "Remote commands" on. Only OwnTracks for Android answers `reportLocation` in the background. While
an app needs a position, this program asks the phone at most once a minute. The broker and this machine see the position in
clear. Needs python3-paho-mqtt.
"""
import argparse
import json
import math
import pathlib
import ssl
import sys
import threading
import time

import paho.mqtt.client as mqtt

import phone
import source

# Seconds between two questions, until a question counts as unanswered, and for a connection to the broker.
PAUSE, PATIENCE, TIMEOUT = 60, 25, 10
# A location has about 300 bytes.
PAYLOAD_MAX = 16 * 1024


class Phone:
    """A phone at a broker: what was asked, and what it reported since."""

    def __init__(self, options, password):
        self.topic, self.broker = options.topic, f"{options.broker}:{options.port}"
        self.asked = None
        self.asked_at = math.inf
        self.passed_on = 0
        self.lock, self.newest, self.refusal = threading.Lock(), None, None
        self.client = mqtt.Client(client_id="", clean_session=True)
        self.client.on_connect, self.client.on_message = self.connected, self.received
        if options.user:
            self.client.username_pw_set(options.user, password)
        if options.tls:
            self.client.tls_set(ca_certs=options.authority, tls_version=ssl.PROTOCOL_TLS_CLIENT)
        self.client.connect_async(options.broker, options.port, keepalive=60)
        self.client.loop_start()

    def connected(self, client, _userdata, _flags, code):
        with self.lock:
            self.refusal = mqtt.connack_string(code) if code else None
        if code == 0:
            client.subscribe(self.topic, qos=1)

    def received(self, _client, _userdata, message):
        # A retained message is the position of some earlier day.
        if message.retain or len(message.payload) > PAYLOAD_MAX:
            return
        try:
            fix = phone.fix_of(json.loads(message.payload))
        except (ValueError, RecursionError):
            return
        with self.lock:
            if fix is not None and (self.newest is None or fix["time"] >= self.newest["time"]):
                self.newest = fix

    def position(self):
        """Returns a fix that is newer than the last question and was not passed on yet, or a state."""
        with self.lock:
            refusal, fix = self.refusal, self.newest
        if refusal is not None:
            raise source.Trouble(f"the broker {self.broker} refuses the connection: {refusal}")
        if not self.client.is_connected():
            raise source.Trouble(f"the broker {self.broker} cannot be reached")
        if self.asked is None or time.monotonic() - self.asked >= PAUSE:
            self.asked, self.asked_at = time.monotonic(), time.time()
            self.client.publish(f"{self.topic}/cmd", json.dumps({"_type": "cmd", "action": "reportLocation"}), qos=1)
        # OwnTracks dates positions in whole seconds.
        if fix is not None and fix["time"] >= math.floor(self.asked_at) and fix["time"] > self.passed_on:
            self.passed_on = fix["time"]
            return fix
        is_answered = self.passed_on >= math.floor(self.asked_at)
        return "searching" if is_answered or time.monotonic() - self.asked < PATIENCE else "lost"

    def wait(self):
        """Waits until the first connection succeeds or fails."""
        end = time.monotonic() + TIMEOUT
        while time.monotonic() < end and self.refusal is None and not self.client.is_connected():
            time.sleep(0.1)
        return self

    def close(self):
        pass


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("socket", help="the socket of locationd's --program")
    parser.add_argument("--broker", required=True, help="the broker's name or address")
    parser.add_argument("--port", type=int, help="its port [8883, or 1883 with --plain]")
    parser.add_argument("--topic", required=True, help="the phone's topic: owntracks/USER/DEVICE")
    parser.add_argument("--user", help="the name to log in with")
    parser.add_argument("--password-file", help="a file with the password")
    parser.add_argument("--authority", help="certificates (PEM) to trust, for a broker with a certificate of your own")
    parser.add_argument("--plain", action="store_true", help="connect without TLS")
    options = parser.parse_args()
    options.tls = not options.plain
    options.port = options.port or (8883 if options.tls else 1883)
    parts = options.topic.split("/")
    if len(parts) < 3 or not all(parts) or any(sign in options.topic for sign in "+#"):
        parser.error(f"--topic {options.topic}: expected the topic of one phone, such as owntracks/ada/pixel")
    if (options.user is None) != (options.password_file is None):
        parser.error("give --user and --password-file together")
    if options.plain and options.user and options.broker not in ("localhost", "127.0.0.1", "::1"):
        parser.error("--plain: anyone on the network could read the password; use TLS, or a broker on this machine")
    try:
        password = pathlib.Path(options.password_file).read_text().strip() if options.password_file else None
        watched = Phone(options, password)
    except (OSError, ValueError) as error:
        parser.error(f"--password-file or --authority cannot be read: {error}")
    print(f"asking {options.topic} at {watched.broker}", flush=True)
    source.run(options.socket, "owntracks", watched.wait)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
