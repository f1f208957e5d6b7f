#!/usr/bin/env python3
"""Opens a link of a real server in a browser: link.py chromium|firefox LINK answered|followed|gone [PICTURE]. Prints what the page says."""
import sys, time

from browser import BROWSERS, Failure


def check(what, is_so, found=""):
    if not is_so:
        raise Failure(f"{what}: {found}")


def main():
    name, link, outcome, *picture = sys.argv[1:]
    address, key = link.split("#")
    with BROWSERS[name]() as browser:
        # A link that a gateway changed, which leads to the same page.
        for changed in (address + "%23" + key, address + "%2523" + key):
            browser.open(changed)
            browser.wait("the repaired page", "return document.getElementById('app') && location.href === arguments[0]"
                         " && document.getElementById('status-title').textContent !== ''", address)
        browser.open("about:blank")
        browser.open(link)
        if outcome == "gone":
            print(browser.wait_for_text("status", "does not work"))
        else:
            browser.wait("the button", "return document.getElementById('ask').checkVisibility()")
            before = browser.text("app")
            check("nothing is asked before the click", browser.text("steps") == "" and browser.text("answer") == "", before)
            browser.click("ask")
            browser.wait("the answer", "return document.getElementById('answer').checkVisibility()", within=60)
            print(before)
            if outcome == "followed":
                browser.wait("the end", "return !document.getElementById('ask').disabled")
                browser.click("follow")
                browser.wait("the path", "return Number(document.getElementById('map').dataset.points) > 2", within=60)
                check("it is live", browser.text("status").startswith("Live"), browser.text("status"))
                browser.click("follow")
                browser.wait_for_text("status", "has ended")
            print(browser.text("app"))
            if picture:
                time.sleep(0.2)
                browser.picture(picture[0])
        if name == "chromium" and outcome != "gone":
            check("X-Wing, which Chromium has", browser.run("return makeRecipient().then(({ suite }) => suite)") == 2)
        check("the address", browser.run("return location.href") == address)
        if name == "chromium":
            requests = browser.requested()
            check("a request was seen", any("/v1/links/" in request for request in requests))
            for request in requests:
                # The browser requests the changed address; a fragment is a separate field, which is not sent.
                check("a request with the key", key not in request.replace("%23" + key, "").replace("%2523" + key, "").replace(
                    '"urlFragment":"#' + key, ""), request)
        complaints = [c for c in browser.complaints() if "/v1/" not in c and "400" not in c]
        check("no complaint, such as of the policy", complaints == [], complaints)


try:
    main()
except Failure as failure:
    sys.exit(f"{sys.argv[1]}: {failure}")
