#!/usr/bin/env python3
"""Opens the pages of `whereabouts web` of two people: person.py chromium|firefox ADDRESS-OF-BOB ADDRESS-OF-ALICE [PICTURES].

Bob may ask Alice, who is asked each time. Prints what Alice's page holds in the end.
"""
import sys

from browser import BROWSERS, Failure


def check(what, is_so, found=""):
    if not is_so:
        raise Failure(f"{what}: {found}")


def press(browser, label):
    """Presses the button of a label, once it is there."""
    browser.wait(f"the button {label}", "const e = document.querySelector(`button[aria-label^='${arguments[0]}']`);"
                 "if (!e || e.disabled || !e.checkVisibility()) return false; e.click(); return true", label)


def main():
    name, bobs, alices, *pictures = sys.argv[1:]
    size = {"size": (1280, 900)}
    with BROWSERS[name](**size) as bob, BROWSERS[name](**size) as alice:
        for browser, address in ((bob, bobs), (alice, alices)):
            browser.open(address)
            browser.wait_for_text("status", "Live")
            check("the token is not in the address", "token" not in browser.run("return location.href"))
        bob.wait_for_text("friends", "Alice")
        alice.wait_for_text("grants", "holds")
        alice.wait_for_text("devices", "answers")
        press(bob, "Ask: Alice")
        alice.wait_for_text("questions", "asks where you are now")
        bob.wait_for_text("requests", "asking")
        check("axe-core, a question", (found := alice.barriers()) == [], found)
        if pictures:
            alice.picture(f"{pictures[0]}/question.png")
        press(alice, "Yes: ")
        bob.wait_for_text("requests", "answered")
        bob.wait_for_text("place", "Hamburg")
        check("the map is drawn", len(set(bob.run(
            "const c = document.getElementById('map'); return Array.from(c.getContext('2d').getImageData(0, 0, c.width, c.height).data)"
            ".filter((_, i) => i % 400 === 0)"))) > 3)
        alice.wait_for_text("journal", "delivered")
        check("the journal is verified", "Verified" in alice.text("journal-state"), alice.text("journal-state"))
        for browser in (bob, alice):
            check("axe-core, a person", (found := browser.barriers()) == [], found)
        if pictures:
            bob.picture(f"{pictures[0]}/bob.png")
            alice.picture(f"{pictures[0]}/alice.png")
        alice.run("document.getElementById('invite').querySelector('button').click()")
        alice.wait_for_text("invitation", "Send this line")
        press(alice, "Revoke: ")
        alice.wait_for_text("grants", "revoked")
        press(bob, "Ask: Alice")
        bob.wait_for_text("requests", "refused")
        folder = alice.run("return location.pathname")
        orders = alice.run("return Promise.all(['{\"verb\":\"link\"}', '{\"verb\":\"revoke\",\"who\":\"../identity\"}', 'x'].map(body => fetch('order', "
                           "{method: 'POST', body, headers: {'content-type': 'application/json'}}).then(r => r.status)))")
        check("orders that there are not", orders == [409, 409, 409], orders)
        for browser in (bob, alice):
            complaints = [c for c in browser.complaints() if "409" not in c]
            check("no complaint, such as of the policy", complaints == [], complaints)
        print(folder, alice.run("return document.documentElement.outerHTML"))


try:
    main()
except Failure as failure:
    sys.exit(f"{sys.argv[1]}: {failure}")
