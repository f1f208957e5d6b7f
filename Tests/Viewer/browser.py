"""Drives Chromium over WebDriver and Firefox over Marionette, both headless, with Python's standard library alone."""
import base64, functools, json, os, pathlib, select, shutil, signal, socket, subprocess, sys, tempfile, threading, time, zipfile
import urllib.error, urllib.request

# The kernel ends all processes of a PID namespace with its first process, and that one ends with this program, even
# after SIGKILL. A process group would not be enough, because browsers start their own sessions.
CONFINED = ["setpriv", "--pdeathsig", "KILL", "unshare", "--user", "--map-current-user", "--pid", "--fork", "--kill-child", "--mount-proc"]
AXE = next(iter(sorted((pathlib.Path(__file__).parent.parent.parent / ".build/axe").glob("axe_core_python-*.whl"))), None)


class Failure(Exception):
    pass


@functools.cache
def confinement():
    """Returns the command that ends a browser with this program; empty if the kernel makes no such namespace."""
    if subprocess.run(CONFINED + ["true"], stderr=subprocess.DEVNULL).returncode == 0:
        return CONFINED
    print("this machine makes no PID namespaces: a browser outlives a test that is killed", file=sys.stderr)
    return []


def end_with_parent():
    """Ends this program, and so its browser, when the test that started it has ended."""
    parent = os.pidfd_open(os.getppid())

    def wait():
        select.select([parent], [], [])
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


class Browser:
    """The part that both browsers share: pages, scripts, pictures."""

    def __init__(self, language="en-GB", dark=False, size=(900, 1200)):
        self.language, self.dark, self.size = language, dark, size
        self.folder = tempfile.mkdtemp(prefix="wa-browser-")
        self.process = None
        try:
            self.start()
        except BaseException:
            self.stop()
            raise

    def stop(self):
        if self.process:
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def spawn(self, command):
        command = confinement() + command
        environment = {**os.environ, "HOME": self.folder, "TMPDIR": self.folder, "LANGUAGE": self.language}
        self.process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True, env=environment)

    def text(self, id):
        return self.run("const e = document.getElementById(arguments[0]); return e && e.checkVisibility() ? e.innerText : ''", id)

    def click(self, id):
        self.run("document.getElementById(arguments[0]).click()", id)

    def barriers(self):
        """The serious findings of axe-core; none without it."""
        if AXE is None:
            return []
        with zipfile.ZipFile(AXE) as wheel:
            source = wheel.read(next(name for name in wheel.namelist() if name.endswith("axe.min.js"))).decode()
        self.run(source + "\n;window.axe = axe; window.found = null; axe.run(document, {resultTypes: ['violations']})"
                 ".then(found => { window.found = JSON.stringify(found.violations.map(v => [v.impact, v.id, v.nodes.map(n => n.html)])) })"
                 ".catch(error => { window.found = JSON.stringify([['critical', String(error)]]) });")
        found = json.loads(self.wait("axe-core", "return window.found"))
        return [finding for finding in found if finding[0] in ("serious", "critical")]

    def wait(self, what, script, *arguments, within=40):
        end = time.monotonic() + within
        while time.monotonic() < end:
            found = self.run(script, *arguments)
            if found:
                return found
            time.sleep(0.05)
        raise Failure(f"{what}: not within {within} s; the page says: {self.run('return document.body.innerText')!r}")

    def wait_for_text(self, id, words, within=40):
        return self.wait(
            f"#{id} with {words!r}", "const e = document.getElementById(arguments[0]); return e && e.checkVisibility() && "
            "e.innerText.includes(arguments[1]) && e.innerText", id, words, within=within)


class Chromium(Browser):
    name = "chromium"

    def start(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.base = f"http://127.0.0.1:{port}"
        self.spawn(["chromedriver", f"--port={port}"])
        end = time.monotonic() + 20
        while True:
            try:
                self.call("GET", "/status")
                break
            except (urllib.error.URLError, ConnectionError):
                if time.monotonic() > end:
                    raise Failure("chromedriver does not answer")
                time.sleep(0.05)
        options = {
            "args": ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking",
                     f"--user-data-dir={self.folder}/profile", f"--window-size={self.size[0]},{self.size[1]}"],
            "prefs": {"intl.accept_languages": self.language},
        }
        capabilities = {"alwaysMatch": {
            "browserName": "chrome", "acceptInsecureCerts": True, "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}}
        reply = self.call("POST", "/session", {"capabilities": capabilities})
        self.base += "/session/" + reply["sessionId"]
        self.cdp("Emulation.setDeviceMetricsOverride", width=self.size[0], height=self.size[1], deviceScaleFactor=1, mobile=False)
        self.cdp("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if self.dark else "light"}])

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"content-type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as reply:
                return json.load(reply)["value"]
        except urllib.error.HTTPError as error:
            raise Failure(json.load(error)["value"]["message"])

    def cdp(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def open(self, address):
        self.call("POST", "/url", {"url": address})

    def run(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": arguments})

    def tab(self, handle=None):
        """Goes to a tab, or to a new one; returns the handle of the tab before."""
        before = self.call("GET", "/window")
        self.call("POST", "/window", {"handle": handle or self.call("POST", "/window/new", {"type": "tab"})["handle"]})
        return before

    def offline(self, is_offline):
        self.cdp("Network.emulateNetworkConditions", offline=is_offline, latency=0, downloadThroughput=-1, uploadThroughput=-1)

    def complaints(self):
        """Messages of the console that begin with an error, such as each violation of the policy."""
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"}) if entry["level"] == "SEVERE"]

    def requested(self):
        """The addresses of all requests so far, with headers."""
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "performance"})
                if '"Network.requestWillBeSent"' in entry["message"]]

    def picture(self, path):
        height = min(3000, self.run("return document.documentElement.scrollHeight"))
        image = self.cdp("Page.captureScreenshot", captureBeyondViewport=True,
                         clip={"x": 0, "y": 0, "width": self.size[0], "height": height, "scale": 1})
        pathlib.Path(path).write_bytes(base64.b64decode(image["data"]))


class Firefox(Browser):
    name = "firefox"

    def start(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        profile = pathlib.Path(self.folder, "profile")
        profile.mkdir()
        preferences = {
            "marionette.port": port, "intl.accept_languages": self.language, "datareporting.policy.dataSubmissionEnabled": False,
            "layout.css.prefers-color-scheme.content-override": 0 if self.dark else 1, "browser.shell.checkDefaultBrowser": False,
            "app.update.enabled": False, "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False,
            "browser.aboutwelcome.enabled": False, "browser.startup.page": 0, "remote.prefs.recommended": True,
        }
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in preferences.items()]
        profile.joinpath("user.js").write_text("".join(lines))
        self.spawn(["firefox-esr", "--headless", "--marionette", "--no-remote", "--remote-allow-system-access", "--profile", str(profile),
                    f"--width={self.size[0]}", f"--height={self.size[1]}", "about:blank"])
        end = time.monotonic() + 40
        while True:
            try:
                self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
                break
            except OSError:
                if time.monotonic() > end or self.process.poll() is not None:
                    raise Failure("Firefox does not answer")
                time.sleep(0.1)
        self.number = 0
        self.receive()
        self.call("WebDriver:NewSession", acceptInsecureCerts=True)
        self.call("WebDriver:SetWindowRect", width=self.size[0], height=self.size[1])

    def receive(self):
        length = b""
        while not length.endswith(b":"):
            length += self.some(1)
        rest, body = int(length[:-1]), b""
        while len(body) < rest:
            body += self.some(rest - len(body))
        return json.loads(body)

    def some(self, count):
        data = self.socket.recv(count)
        if not data:
            raise Failure("Firefox closed the connection")
        return data

    def call(self, command, **parameters):
        self.number += 1
        body = json.dumps([0, self.number, command, parameters]).encode()
        self.socket.sendall(str(len(body)).encode() + b":" + body)
        _, _, error, result = self.receive()
        if error:
            raise Failure(f"{command}: {error['error']}: {error['message']}")
        return result

    def open(self, address):
        self.call("WebDriver:Navigate", url=address)

    def run(self, script, *arguments):
        return self.call("WebDriver:ExecuteScript", script=script, args=list(arguments))["value"]

    def tab(self, handle=None):
        before = self.call("WebDriver:GetWindowHandle")["value"]
        self.call("WebDriver:SwitchToWindow", handle=handle or self.call("WebDriver:NewWindow", type="tab")["handle"])
        return before

    def offline(self, is_offline):
        self.call("Marionette:SetContext", value="chrome")
        try:
            self.run("Services.io.manageOfflineStatus = false; Services.io.offline = arguments[0]", is_offline)
        finally:
            self.call("Marionette:SetContext", value="content")
        # Firefox reaches the loopback interface even when it is offline.
        self.run("window.online ??= fetch; window.fetch = arguments[0] ? () => Promise.reject(new TypeError('offline')) : window.online", is_offline)

    def complaints(self):
        self.call("Marionette:SetContext", value="chrome")
        try:
            return self.run(
                "return Services.console.getMessageArray().filter(m => m instanceof Ci.nsIScriptError && !(m.flags & 1)"
                " && /CSP|Content|localhost/.test(m.category + m.sourceName)).map(m => m.message)")
        finally:
            self.call("Marionette:SetContext", value="content")

    def picture(self, path):
        image = self.call("WebDriver:TakeScreenshot", full=True)["value"]
        pathlib.Path(path).write_bytes(base64.b64decode(image))


end_with_parent()
BROWSERS = {browser.name: browser for browser in (Chromium, Firefox)}
