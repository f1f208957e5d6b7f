#!/usr/bin/env python3
"""Opens the page of `locationctl web` in a browser: device.py chromium|firefox ADDRESS [PICTURE]. An app asks for the location meanwhile."""
import sys, urllib.error, urllib.request

from browser import BROWSERS, Failure

BUNDLE = "com.example.FindFriends"


def check(what, is_so, found=""):
    if not is_so:
        raise Failure(f"{what}: {found}")


def choose(browser, label, value):
    """Chooses as a person does, and waits until the page says that it is done."""
    browser.run("const e = document.querySelector(`[aria-label='${arguments[0]}']`); e.focus();"
                "if (e.type === 'checkbox') e.click(); else { e.value = arguments[1]; e.dispatchEvent(new Event('change')); }", label, value)
    browser.wait_for_text("toast", "Done.")


def main():
    name, address, *picture = sys.argv[1:]
    size = {"size": (1280, 900)} if picture else {}
    with BROWSERS[name](**size) as browser:
        browser.open(address)
        browser.wait_for_text("status", "Live")
        folder = browser.run("return location.href")
        check("the token is not in the address", "token" not in folder, folder)
        check("no script reads the cookie", browser.run("return document.cookie") == "")
        browser.wait_for_text("prompt", "Allow “FindFriends” to use your location?")
        browser.wait_for_text("fix", "within")
        check("a place", "Hamburg" in browser.text("place"), browser.text("place"))
        browser.wait("the path", "return Number(document.getElementById('map').dataset.points) > 2")
        browser.wait_for_text("prompt-meaning", "Precise")
        before = browser.run("return document.getElementById('prompt-map').toDataURL()")
        browser.click("prompt-precise")
        browser.wait_for_text("prompt-meaning", "Approximate")
        check("the map of the prompt", browser.run("return document.getElementById('prompt-map').toDataURL()") != before)
        check("axe-core, a prompt", (found := browser.barriers()) == [], found)
        if picture:
            browser.picture(picture[0])
        browser.run("[...document.querySelectorAll('#prompt-choices button')].find(b => b.textContent.includes('While Using')).click()")
        # The app then asks for more.
        browser.wait_for_text("prompt", "even when you are not using the app?")
        browser.run("[...document.querySelectorAll('#prompt-choices button')].find(b => b.textContent.includes('Keep Only')).click()")
        browser.wait("the prompt ends", "return !document.getElementById('prompt').checkVisibility()")
        browser.wait("what was granted", "const s = document.querySelector('#apps select'); return s && s.value === 'WHILE_USING'")
        check("approximately", not browser.run("return document.querySelector('#apps article input').checked"))
        choose(browser, "Precise location for FindFriends", "")
        choose(browser, "Location for FindFriends", "ALWAYS")
        check("the setting is shown", browser.run("return document.querySelector('#apps select').value") == "ALWAYS")
        for part, words in [("receiver", "gpsd"), ("power", "\u00a0s ("), ("pushes", "pushes left"), ("log", "asked")]:
            check(part, words in browser.text(part).lower(), browser.text(part))
        check("axe-core, a device", (found := browser.barriers()) == [], found)

        # The page stays closed to others: the address works only once, and knowing the folder is not enough.
        for used in (address, folder):
            try:
                urllib.request.urlopen(used)
                raise Failure(f"{used} opens the page")
            except urllib.error.HTTPError as error:
                check("the refusal", error.code == 403, error.code)
        check("a page of another origin gives no order", browser.run("return fetch('control', {method: 'POST', body: '{}'}).then(r => r.status)") == 415)
        complaints = [c for c in browser.complaints() if "415" not in c]
        check("no complaint, such as of the policy", complaints == [], complaints)
        if name == "chromium":
            root = folder.split("/")[2]
            # Chromium's start page makes requests, too.
            requests = [r for r in browser.requested() if f'"documentURL":"http://{root}/' in r]
            check("requests were seen", requests != [])
            check("nothing is fetched from elsewhere", all(f'"url":"http://{root}/' in r or '"url":"data:' in r for r in requests), requests)
        print("shown")


try:
    main()
except Failure as failure:
    sys.exit(f"{sys.argv[1]}: {failure}")
