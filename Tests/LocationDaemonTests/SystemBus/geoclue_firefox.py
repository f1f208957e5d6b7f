#!/usr/bin/env python3
"""Has Firefox open a page that asks where it is, by GeoClue on $DBUS_SYSTEM_BUS_ADDRESS, and prints what the page is told.

Firefox's own question is answered by its preferences for tests; the one that counts is locationd's.
"""
import http.server
import os
import subprocess
import sys
import tempfile
import threading
import urllib.parse

PAGE = b"""<script>
const say = words => fetch('/said?' + encodeURIComponent(words));
navigator.geolocation.watchPosition(
    ({coords}) => say(`position ${coords.latitude.toFixed(4)} ${coords.longitude.toFixed(4)} ${coords.accuracy} -`),
    error => say(`refused ${error.code}`));
</script>"""
PREFERENCES = {
    "geo.enabled": "true",
    "geo.prompt.testing": "true",
    "geo.prompt.testing.allow": "true",
    "geo.provider.use_geoclue": "true",
    # Send nothing to other hosts: the discard port of this machine.
    "geo.provider.network.url": '"http://127.0.0.1:9/"',
    "network.captive-portal-service.enabled": "false",
    "datareporting.policy.dataSubmissionEnabled": "false",
    "browser.shell.checkDefaultBrowser": "false",
}


class Server(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path.startswith("/said?"):
            print(urllib.parse.unquote(self.path[len("/said?") :]), flush=True)
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        if self.path == "/":
            self.wfile.write(PAGE)

    def log_message(self, *_):
        pass


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as home:
        with open(os.path.join(home, "user.js"), "w") as preferences:
            preferences.writelines(f'user_pref("{name}", {value});\n' for name, value in PREFERENCES.items())
        page = f"http://localhost:{server.server_port}/"
        # Firefox ends with this program, however that ends.
        command = ["setpriv", "--pdeathsig", "KILL", "firefox-esr", "--headless", "--no-remote", "--profile", home, page]
        sys.exit(subprocess.run(command, env=dict(os.environ, HOME=home), stdout=subprocess.DEVNULL, timeout=100).returncode)


if __name__ == "__main__":
    main()
