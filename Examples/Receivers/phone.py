#!/usr/bin/env python3
"""Takes the positions that a phone with OwnTracks posts, and tells them to locationd (docs/sources.md).

    locationd --program /run/user/1000/locationd/phone.sock
    phone.py /run/user/1000/locationd/phone.sock --token-file token --certificate tls.pem --private-key tls.key

In the app: mode HTTP, URL https://this.machine:8445/, any user name, and the token as password. Without a certificate it
listens on this machine alone, for a server in front of it that speaks TLS.
"""
import argparse
import base64
import binascii
import contextlib
import hmac
import http.server
import json
import pathlib
import socket
import ssl
import sys
import threading
import time

import source

# OwnTracks posts about 300 bytes.
BODY_MAX = 16 * 1024
# Connections at a time: a phone has one, and strangers must not have all threads of the machine.
CONNECTIONS_MAX = 16
# Seconds: for a handshake, a request, an answer.
TIMEOUT = 10
# Seconds: for a connection, which a phone makes again.
LIFETIME = 60
TOKEN_MIN = 16
# Seconds that a position is kept for locationd, which decides itself how old one may be.
KEPT = 600


class Newest:
    """The newest position of the phone, in memory alone."""

    def __init__(self):
        self.lock = threading.Lock()
        self.fix = None

    def put(self, fix):
        with self.lock:
            if self.fix is None or fix["time"] >= self.fix["time"]:
                self.fix = fix

    def get(self):
        with self.lock:
            return self.fix


class Reading:
    """Positions since somebody needs them."""

    def __init__(self, newest):
        self.newest = newest
        self.told = None

    def position(self):
        fix = self.newest.get()
        if fix is None or fix is self.told or time.time() - fix["time"] > KEPT:
            return None
        self.told = fix
        return fix

    def close(self):
        pass


def fix_of(message):
    """A fix of locationd's from OwnTracks' location; None when the message is no position.

    Source: OwnTracks Booklet, "JSON": `acc`, `alt`, `vac` in metres, `vel` in km/h, `cog` in degrees, `tst` in seconds.
    """
    if not isinstance(message, dict) or message.get("_type") != "location":
        return None

    def number(name, least, most):
        value = message.get(name)
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        # False for NaN, which is not a number.
        return float(value) if is_number and least <= value <= most else None

    latitude, longitude = number("lat", -90, 90), number("lon", -180, 180)
    moment = number("tst", 0, 253_402_300_799)
    if latitude is None or longitude is None or moment is None:
        return None
    # Phones put several sources together, and smooth what they tell.
    fix = {"latitude": latitude, "longitude": longitude, "time": moment, "isEstimate": True}
    speed = number("vel", 0, 72_000)
    rest = {
        "accuracy": number("acc", 0.001, 2_000_000),
        "altitude": number("alt", -20_000, 2_000_000),
        "verticalAccuracy": number("vac", 0.001, 2_000_000),
        "course": number("cog", 0, 360),
        "speed": None if speed is None else speed / 3.6,
    }
    return fix | {name: value for name, value in rest.items() if value is not None}


class Handler(http.server.BaseHTTPRequestHandler):
    """One phone's connection."""

    protocol_version = "HTTP/1.1"
    timeout = TIMEOUT

    def setup(self):
        # A stranger who sends a byte now and then does not keep a place.
        self.end = threading.Timer(LIFETIME, self.cut, (self.request.dup(),))
        self.end.start()
        # In the connection's own thread: a handshake that hangs keeps nobody else waiting.
        if self.server.tls is not None:
            self.request.settimeout(TIMEOUT)
            self.request = self.server.tls.wrap_socket(self.request, server_side=True)
        super().setup()

    @staticmethod
    def cut(connection):
        with connection, contextlib.suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)

    def finish(self):
        self.end.cancel()
        super().finish()
        self.request.close()

    def do_POST(self):
        if not self.is_known():
            # No faster than one guess a second for each connection.
            time.sleep(1)
            return self.answer(401, {"error": "the password is not the token"})
        length = self.headers.get("content-length", "")
        if not length.isascii() or not length.isdigit() or int(length) > BODY_MAX:
            return self.answer(413, {"error": f"expected a body of at most {BODY_MAX} bytes, with its length"})
        try:
            message = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            return self.answer(400, {"error": "expected JSON as OwnTracks posts it"})
        fix = fix_of(message)
        if fix is not None:
            self.server.newest.put(fix)
        # OwnTracks expects a list of commands; what is no position is taken and left.
        self.answer(200, [])

    def is_known(self):
        kind, _, credentials = self.headers.get("authorization", "").partition(" ")
        try:
            _, _, password = base64.b64decode(credentials, validate=True).partition(b":")
        except (binascii.Error, ValueError):
            return False
        return kind.lower() == "basic" and hmac.compare_digest(password, self.server.token)

    def answer(self, status, body):
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        if status != 200:
            # The rest of a refused request is not read as the next one.
            self.close_connection = True
            self.send_header("connection", "close")
        if status == 401:
            self.send_header("www-authenticate", 'Basic realm="whereabouts"')
        self.end_headers()
        self.wfile.write(content)

    def version_string(self):
        return "whereabouts"

    def log_message(self, *_):
        """Nothing: a log would say when the phone was where."""


class Server(http.server.ThreadingHTTPServer):
    """The endpoint."""

    daemon_threads = True

    def __init__(self, address, token, newest, tls):
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        self.token, self.newest, self.tls = token, newest, tls
        self.places = threading.BoundedSemaphore(CONNECTIONS_MAX)
        super().__init__(address, Handler)

    def process_request(self, request, client_address):
        if self.places.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request, client_address):
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.places.release()

    def handle_error(self, request, client_address):
        """Nothing: a stranger's broken connection is no news."""


def endpoint(text):
    host, colon, port = text.rpartition(":")
    if not colon or not port.isdigit() or not 0 <= int(port) <= 65535:
        raise argparse.ArgumentTypeError(f"'{text}' is not an address: expected host:port, such as 0.0.0.0:8445")
    return host.strip("[]"), int(port)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("socket", help="the socket of locationd's --program")
    parser.add_argument("--token-file", required=True, help="a file of the token that the phone shows as password")
    parser.add_argument("--certificate", help="the certificate and its chain (PEM)")
    parser.add_argument("--private-key", help="the certificate's key (PEM)")
    parser.add_argument("--listen", type=endpoint, default=None, help="host:port; [::]:8445, or 127.0.0.1:8445 without TLS")
    options = parser.parse_args()
    if (options.certificate is None) != (options.private_key is None):
        parser.error("--certificate and --private-key are given together")
    tls = None
    if options.certificate is not None:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.minimum_version = ssl.TLSVersion.TLSv1_2
        try:
            tls.load_cert_chain(options.certificate, options.private_key)
        except (OSError, ssl.SSLError) as error:
            parser.error(f"the certificate or its key cannot be read: {error}")
    listen = options.listen or (("::", 8445) if tls else ("127.0.0.1", 8445))
    if tls is None and listen[0] not in ("127.0.0.1", "::1", "localhost"):
        parser.error(f"{listen[0]} is no address of this machine alone: give --certificate and --private-key")
    try:
        token = pathlib.Path(options.token_file).read_bytes().strip()
    except OSError as error:
        parser.error(f"the token cannot be read: {error}")
    if len(token) < TOKEN_MIN:
        parser.error(f"the token has {len(token)} bytes; expected at least {TOKEN_MIN}: openssl rand -hex 16 > token")
    newest = Newest()
    try:
        server = Server(listen, token, newest, tls)
    except OSError as error:
        parser.error(f"{listen[0]}, port {listen[1]}: {error.strerror}")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"listening {'https' if tls else 'http'}://{listen[0]}:{server.server_address[1]}", flush=True)
    source.run(options.socket, "phone", lambda: Reading(newest))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
